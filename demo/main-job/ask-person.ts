/** Asks the person at the terminal whether the e-mail may be sent. */
import { createInterface } from 'node:readline';
import process from 'node:process';
import type { OpenApproval } from '../../src/axle.ts';
import { isRecord } from '../../src/util/json.ts';
import { plain } from './narrator.ts';

const maxTries = 20;
const maxLines = 20;

/** What would be sent, as the person must see it: the exact arguments that the answer counts for. */
export function describeMail({ input, tool }: OpenApproval): readonly string[] {
  if (!isRecord(input)) return [`  ${tool}`];
  return Object.entries(input).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const lines = text.trimEnd().split('\n');
    if (lines.length === 1) return [`  ${plain(name)}: ${plain(text)}`];
    const shown = lines.slice(0, maxLines).map((line) => `    ${plain(line)}`);
    const more = lines.length > maxLines ? [`    (${lines.length - maxLines} more lines)`] : [];
    return [`  ${plain(name)}:`, ...shown, ...more];
  });
}

/** The answer, or undefined when there is none: the input has ended, or the question was withdrawn. */
export async function askPerson(question: string, withdrawn: AbortSignal): Promise<'approve' | 'deny' | undefined> {
  // Without `terminal`, Ctrl-C stays what it is everywhere: a signal.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const close = (): void => lines.close();
  withdrawn.addEventListener('abort', close, { once: true });
  if (withdrawn.aborted) close();
  // Without a terminal the question stands on a line of its own: what comes next is not typed behind it.
  const ask = (): void => void process.stderr.write(process.stdin.isTTY ? question : `${question.trimEnd()}\n`);
  try {
    ask();
    let tries = 0;
    for await (const line of lines) {
      const answer = line.trim().toLowerCase();
      if (['y', 'yes'].includes(answer)) return 'approve';
      if (['n', 'no'].includes(answer)) return 'deny';
      tries += 1;
      if (tries >= maxTries) return undefined;
      ask();
    }
    return undefined;
  } finally {
    withdrawn.removeEventListener('abort', close);
    close();
    process.stdin.pause();
  }
}
