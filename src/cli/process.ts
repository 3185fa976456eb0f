/** One process of the command line: its words, its terminal, its signals, its end. */
import process from 'node:process';
import { runCommandLine } from './command-line.ts';
import { programText } from './command-text.ts';
import { onInterruption } from './interruption.ts';
import { onSuddenEnd } from './sudden-end.ts';
import { processTerminal } from './terminal.ts';
import { WorkInHand } from './work-in-hand.ts';

const words = process.argv.slice(2);
// Known before the words are parsed, so that a wrong command line is told as JSON too.
const terminal = processTerminal({ isJson: words.includes('--json'), wantsColours: !words.includes('--no-color') });
const work = new WorkInHand();
const suddenEnd = onSuddenEnd(terminal, work);
const interruption = onInterruption(terminal.note, suddenEnd.expect);
const folder = process.cwd();
const program = programText({ script: process.argv[1] ?? 'axle', environment: process.env, folder });
const exitCode = await runCommandLine(words, { terminal, interruption, work, suddenEnd, folder, program });
interruption.stop();
suddenEnd.expect();
await terminal.flushed();
// A tool or a configuration may have left something open that would keep the process alive for ever.
process.exit(exitCode);
