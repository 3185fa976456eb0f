/** The table of commands: what `axle` can do, in the order in which the help shows it. */
import type { Command } from './command.ts';
import { approveCommand } from './commands/approve.ts';
import { callCommand } from './commands/call.ts';
import { cancelCommand } from './commands/cancel.ts';
import { denyCommand } from './commands/deny.ts';
import { resolveCommand } from './commands/resolve.ts';
import { resumeCommand } from './commands/resume.ts';
import { runCommand } from './commands/run.ts';
import { runsCommand } from './commands/runs.ts';
import { sendCommand } from './commands/send.ts';
import { showCommand } from './commands/show.ts';
import { versionCommand } from './commands/version.ts';

export const commands: readonly Command[] = [
  runCommand,
  callCommand,
  runsCommand,
  showCommand,
  approveCommand,
  denyCommand,
  resolveCommand,
  sendCommand,
  cancelCommand,
  resumeCommand,
  versionCommand,
];
