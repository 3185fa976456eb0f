/** Ctrl-C: the first lets what is in hand end and leaves the run resumable; the second ends the process at once. */
import process from 'node:process';
import { type ExitName, exitCodes } from './exit-code.ts';

export interface Interruption {
  /** Aborted by the first interruption. */
  readonly signal: AbortSignal;
  /** How a command ends that was interrupted: as the shell calls it for the signal. */
  readonly exit: () => ExitName;
  readonly stop: () => void;
}

/** Listens for SIGINT and SIGTERM until `stop`. `onEnd` is told before the second one ends the process. */
export function onInterruption(note: (line: string) => void, onEnd: () => void): Interruption {
  const controller = new AbortController();
  let exit: ExitName = 'interrupted';
  const onSignal = (name: NodeJS.Signals): void => {
    exit = name === 'SIGTERM' ? 'terminated' : 'interrupted';
    if (controller.signal.aborted) {
      onEnd();
      process.exit(exitCodes[exit].code);
    }
    note(`Stopping (${name}): what is in hand may end, up to 5 s. Once more ends at once.`);
    controller.abort(new Error(`The process received ${name}.`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    exit: () => exit,
    stop: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
