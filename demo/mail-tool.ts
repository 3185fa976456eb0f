/**
 * E-mail over SMTP, as a tool. SMTP has no idempotency key, so a mail is a `write`: it is never sent again on a guess. Its key becomes
 * its Message-ID, and `verify` asks the mail service whether a message with that id has arrived.
 */
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import type { Contract, VerifyAnswer } from '../src/contract/contract.ts';
import type { EffectEvidence } from '../src/call/outcome.ts';
import { tool } from '../src/contract/tool.ts';
import { ToolError } from '../src/contract/tool-error.ts';
import { messageOf } from '../src/error/axle-error.ts';
import { isRecord } from '../src/util/json.ts';
import { readJson } from './http-json.ts';

export interface MailService {
  readonly smtpPort: number;
  /** Where the service says what it accepted. */
  readonly mailUrl: string;
}

export function mailTool({ smtpPort, mailUrl }: MailService): Contract {
  return tool({
    name: 'send_email',
    description: 'Sends an e-mail in plain text to one recipient. A mail that was sent cannot be called back.',
    input: z.strictObject({
      to: z.email().max(254).describe('The address of the recipient.'),
      subject: z.string().min(1).max(200),
      text: z.string().min(1).max(20_000),
    }),
    output: z.object({ messageId: z.string(), to: z.string() }),
    effect: 'write',
    risk: 'high',
    irreversible: true,
    // Short, because `verify` is asked only when a sender that merely looked dead has run out of time.
    timeout: '4s',
    // A mail that is still on its way when the time limit strikes has arrived or failed this much later.
    settle: '1s',
    execute: async ({ to, subject, text }, { idempotencyKey }) => {
      const messageId = messageIdOf(idempotencyKey);
      const transport = createTransport({
        host: '127.0.0.1',
        port: smtpPort,
        ignoreTLS: true,
        connectionTimeout: 1_000,
        greetingTimeout: 1_000,
        socketTimeout: 4_000,
      });
      try {
        await transport.sendMail({
          from: 'agent@axle.demo',
          to,
          subject,
          text,
          messageId,
          // Spelled in a way that no line is folded in, so that the text arrives as it was written.
          textEncoding: 'quoted-printable',
        });
      } catch (cause) {
        throw new ToolError({ ...readFault(cause), message: `The mail was not confirmed: ${messageOf(cause)}`, cause });
      } finally {
        transport.close();
      }
      return { messageId, to };
    },
    verify: async ({ to }, { idempotencyKey, signal }): Promise<VerifyAnswer> => {
      const messageId = messageIdOf(idempotencyKey);
      const url = new URL('/messages', mailUrl);
      url.searchParams.set('id', messageId);
      const response = await fetch(url, { signal });
      const found = response.ok ? await readJson(response) : undefined;
      const messages: unknown = isRecord(found) ? found['messages'] : undefined;
      if (!Array.isArray(messages)) return { happened: 'unknown' };
      return messages.length > 0 ? { happened: true, output: { messageId, to } } : { happened: false };
    },
  });
}

/** The Message-ID of the mail of one call: the same over all attempts and processes. */
export function messageIdOf(idempotencyKey: string): string {
  return `<${idempotencyKey}@axle.demo>`;
}

/** The commands of SMTP after whose refusal no message has been taken. */
const beforeMessage = new Set(['EHLO', 'HELO', 'MAIL FROM', 'RCPT TO']);

/** What a fault says about the mail: whether time helps, and whether it may be on its way. */
function readFault(fault: unknown): { class: 'retryable' | 'recoverable'; effect: EffectEvidence; code?: string } {
  const { responseCode, command, originalCode, syscall }: Readonly<Record<string, unknown>> = isRecord(fault)
    ? fault
    : {};
  const unreached = originalCode === 'ECONNREFUSED' || syscall === 'connect';
  if (unreached) return { code: 'upstream-unavailable', class: 'retryable', effect: 'none' };
  // The server answered with a refusal. 4xx means later, 5xx never.
  if (typeof responseCode === 'number' && responseCode >= 400) {
    const refusedBefore = typeof command === 'string' && beforeMessage.has(command);
    return { class: responseCode < 500 ? 'retryable' : 'recoverable', effect: refusedBefore ? 'none' : 'possible' };
  }
  // Anything else: the connection was lost, and it is not known at which word.
  return { code: 'upstream-unavailable', class: 'retryable', effect: 'unknown' };
}
