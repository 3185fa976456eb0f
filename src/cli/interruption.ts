/** Ctrl-C: the first lets what is in hand end and leaves the run resumable; the second ends the process at once. */
import process from 'node:process';
import { exitCodes } from './exit-code.ts';

export interface Interruption {
  /** Aborted by the first interruption. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Listens for SIGINT and SIGTERM until `stop`. */
export function onInterruption(note: (line: string) => void): Interruption {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted.code);
    note(`Stopping (${name}): what is in hand may end, up to 5 s. Once more ends at once.`);
    controller.abort(new Error(`The process received ${name}.`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    stop: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
