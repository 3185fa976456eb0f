/** Ctrl-C: the first lets what is in hand end and leaves the run resumable; the second ends the process at once. */
import process from 'node:process';
import { type ExitName, exitCodes } from './exit-code.ts';

export interface Interruption {
  /** Aborted by the first interruption. */
  readonly signal: AbortSignal;
  /** How a command ends that was interrupted: as the shell calls it for the signal. */
  readonly exit: () => ExitName;
  /** For a command that is meant to be ended by a signal: what to say at the first one. The second one ends the process with 130, whatever it is. */
  readonly isExpected: (words: string) => void;
  readonly stop: () => void;
}

/** Listens for SIGINT and SIGTERM until `stop`. `onEnd` is told before the second one ends the process. */
export function onInterruption(note: (line: string) => void, onEnd: () => void): Interruption {
  const controller = new AbortController();
  let exit: ExitName = 'interrupted';
  let words: string | undefined;
  const onSignal = (name: NodeJS.Signals): void => {
    exit = name === 'SIGTERM' && words === undefined ? 'terminated' : 'interrupted';
    if (controller.signal.aborted) {
      onEnd();
      process.exit(exitCodes[exit].code);
    }
    note(`Stopping (${name}): ${words ?? 'what is in hand may end, up to 5 s.'} Once more ends at once.`);
    controller.abort(new Error(`The process received ${name}.`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    exit: () => exit,
    isExpected: (said) => {
      words = said;
    },
    stop: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
