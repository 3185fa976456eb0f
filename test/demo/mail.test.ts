import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readLedger } from '../../demo/ledger.ts';
import { textSha256 } from '../../demo/mail-message.ts';
import { mailTool, messageIdOf } from '../../demo/mail-tool.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { contextOf, rejectionOf, startService, testFolder, until, type Service } from './support.ts';

const input = {
  to: 'chen@example.org',
  subject: 'Reisenotiz: 北京 morgen',
  text: 'Warm anziehen – Schal, Mütze.\n\n.\nEnde = gut.\n',
};

async function startMail(...args: readonly string[]): Promise<{ service: Service; ledger: string; mail: Contract }> {
  const ledger = join(testFolder(), 'mail.jsonl');
  const service = await startService('mail-service', '--ledger', ledger, ...args);
  return { service, ledger, mail: mailTool({ smtpPort: service.ready.smtpPort ?? 0, mailUrl: service.ready.url }) };
}

/** Lets a server of the test's own listen until the test ends, and gives its port. */
async function listening(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return listenedPort(server.address());
}

function listenedPort(address: ReturnType<Server['address']>): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a mail', () => {
  test('asks a person before it is sent, since it cannot be taken back', async () => {
    const { mail } = await startMail();
    expect(mail).toMatchObject({ effect: 'write', risk: 'high', irreversible: true, terms: { canVerify: true } });
  });

  test('arrives once, word for word, under the key of its call, and the ledger says so', async () => {
    const { mail, ledger } = await startMail();
    const output = await mail.execute(input, contextOf('key-1'));
    expect(output).toEqual({ messageId: '<key-1@axle.demo>', to: input.to });
    expect(readLedger(ledger)).toMatchObject([
      { messageId: '<key-1@axle.demo>', to: input.to, subject: input.subject, textSha256: textSha256(input.text) },
    ]);
  });

  test('a long plain text keeps its words too, however mail folds it', async () => {
    const { mail, ledger } = await startMail();
    const text = `${'A plain sentence that goes on. '.repeat(40)}\n${'x'.repeat(1500)}`;
    await mail.execute({ ...input, text, subject: 'Plain '.repeat(30).trim() }, contextOf('key-2'));
    expect(readLedger(ledger)).toMatchObject([{ subject: 'Plain '.repeat(30).trim(), textSha256: textSha256(text) }]);
  });
});

describe('a mail in doubt', () => {
  test('is in the ledger before its sender is told, and verify finds it by the key of its call', async () => {
    const { mail, ledger, service } = await startMail('--reply-delay-ms', '600000');
    const sending = rejectionOf(mail.execute(input, contextOf('key-3')));
    await until(() => readLedger(ledger).length === 1, 'the mail is in the ledger');
    expect(await mail.verify?.(input, contextOf('key-3'))).toEqual({
      happened: true,
      output: { messageId: messageIdOf('key-3'), to: input.to },
    });
    expect(await mail.verify?.(input, contextOf('key-4'))).toEqual({ happened: false });
    await service.stop();
    expect(await sending).toMatchObject({ name: 'ToolError', effect: 'unknown' });
  });

  test('a sender that dies before it is told does not harm the service', async () => {
    const { mail, ledger, service } = await startMail('--reply-delay-ms', '200');
    const words = [
      'EHLO test',
      'MAIL FROM:<a@example.org>',
      'RCPT TO:<b@example.org>',
      'DATA',
      'Message-ID: <key-0@axle.demo>\r\n\r\nhello\r\n.',
    ];
    const socket = connect(service.ready.smtpPort ?? 0, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    // One word for each answer; the last line of an answer has a space after its number.
    socket.on('data', (chunk) => /^\d{3} /m.test(chunk.toString()) && socket.write(`${words.shift() ?? ''}\r\n`));
    await until(() => readLedger(ledger).length === 1, 'the first mail is in the ledger');
    socket.resetAndDestroy();
    await mail.execute(input, contextOf('key-10'));
    await delay(300);
    await mail.execute(input, contextOf('key-11'));
    expect(readLedger(ledger)).toMatchObject([
      { messageId: '<key-0@axle.demo>' },
      { messageId: '<key-10@axle.demo>' },
      { messageId: '<key-11@axle.demo>' },
    ]);
  });

  test('only the first mail of a ledger is acknowledged late', async () => {
    const { mail, ledger } = await startMail('--reply-delay-ms', '600000');
    void mail.execute(input, contextOf('key-5')).catch(() => undefined);
    await until(() => readLedger(ledger).length === 1, 'the first mail is in the ledger');
    await mail.execute(input, contextOf('key-6'));
    expect(readLedger(ledger)).toHaveLength(2);
  });

  test('a connection that is lost after the message leaves its effect unknown', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('220 rude\r\n');
      let inMessage = false;
      socket.on('data', (chunk) => {
        if (inMessage) return void socket.destroy();
        inMessage = chunk.toString().startsWith('DATA');
        socket.write(inMessage ? '354 go on\r\n' : '250 ok\r\n');
      });
    });
    const mail = mailTool({ smtpPort: await listening(server), mailUrl: 'http://127.0.0.1:1' });
    expect(await rejectionOf(mail.execute(input, contextOf('key-7')))).toMatchObject({ effect: 'unknown' });
  });

  test('a mail server that is not there proves that nothing was sent', async () => {
    const { mail, service } = await startMail();
    await service.stop();
    expect(await rejectionOf(mail.execute(input, contextOf('key-8')))).toMatchObject({
      class: 'retryable',
      effect: 'none',
    });
  });

  test('a recipient that is refused proves it too, and time does not help', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('220 strict\r\n');
      socket.on('data', (chunk) =>
        socket.write(chunk.toString().startsWith('RCPT') ? '550 no such user\r\n' : '250 ok\r\n'),
      );
    });
    const mail = mailTool({ smtpPort: await listening(server), mailUrl: 'http://127.0.0.1:1' });
    expect(await rejectionOf(mail.execute(input, contextOf('key-9')))).toMatchObject({
      class: 'recoverable',
      effect: 'none',
    });
  });
});
