/**
 * When the code that a command runs ends the process under it: `process.exit` in a tool, an error that nobody caught, a store that cannot be
 * trusted any more. Nothing is repaired here; the journal has what was begun.
 *
 * U1 A command that has not done its work never ends with 0, and never without a word; with `--json` the word is an error object.
 * U2 Whoever reads it learns what was under way and how to go on.
 */
import process from 'node:process';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { manyLines, oneLine } from '../trace/safe-text.ts';
import { exitCodes, exitOfError } from './exit-code.ts';
import { tellError } from './tell-error.ts';
import type { Terminal } from './terminal.ts';
import type { PieceInHand, WorkInHand } from './work-in-hand.ts';

export interface SuddenEnd {
  /** Tells an error and ends the process with its exit code. */
  readonly end: (error: AxleError) => never;
  /** From here on the process may end: the command has said all there was to say. */
  readonly expect: () => void;
}

/** Lines of a stack that are shown. */
const maxStackLines = 12;
/** Pieces of work that are named. */
const maxPieces = 5;

/** Listens for the end of this process until it is expected. */
export function onSuddenEnd(terminal: Terminal, work: WorkInHand): SuddenEnd {
  let isExpected = false;
  const end = (error: AxleError): never => {
    isExpected = true;
    tellError(error, terminal);
    process.exit(exitCodes[exitOfError(error.code)].code);
  };
  process.on('uncaughtException', (error) => {
    if (error instanceof Error) {
      for (const line of manyLines(error.stack ?? '').slice(0, maxStackLines)) terminal.note(line);
    }
    const what = `Code that this command runs threw an error that nobody caught: ${messageOf(error)}`;
    end(processEnded(what, work.pieces, error));
  });
  process.on('exit', (code) => {
    if (isExpected) return;
    tellError(processEnded(`Code that this command runs ended the process, with code ${code}`, work.pieces), terminal);
    process.exitCode = exitCodes.failed.code;
  });
  return {
    end,
    expect: () => {
      isExpected = true;
    },
  };
}

function processEnded(what: string, inHand: readonly PieceInHand[], cause?: unknown): AxleError {
  const message = what.endsWith('.') ? what : `${what}.`;
  if (inHand.length === 0) return new AxleError('process-ended', message, { cause });
  const named = inHand.slice(0, maxPieces).map(pieceText).join(', ');
  const others = inHand.length > maxPieces ? `, and ${inHand.length - maxPieces} more` : '';
  return new AxleError('process-ended', `${message} Under way: ${named}${others}.`, { cause, details: { inHand } });
}

function pieceText({ runId, callId, tool }: PieceInHand): string {
  return callId === undefined ? `the model of ${runId}` : oneLine(`${tool ?? 'call'} ${callId} of ${runId}`);
}
