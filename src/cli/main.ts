#!/usr/bin/env node
/** The command `axle`. */
import process from 'node:process';
import { runCommandLine } from './command-line.ts';
import { onInterruption } from './interruption.ts';
import { processTerminal } from './terminal.ts';

const words = process.argv.slice(2);
// Known before the words are parsed, so that a wrong command line is told as JSON too.
const terminal = processTerminal({ isJson: words.includes('--json'), wantsColours: !words.includes('--no-color') });
const interruption = onInterruption(terminal.note);
const exitCode = await runCommandLine(words, { terminal, interruption, folder: process.cwd() });
interruption.stop();
await terminal.flushed();
// A tool or a configuration may have left something open that would keep the process alive for ever.
process.exit(exitCode);
