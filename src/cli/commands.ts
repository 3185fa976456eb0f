/**
 * The table of commands: what `axle` can do, in the order in which the help shows it.
 *
 * T1 The table is light: a command loads what drives runs, speaks protocols or starts programs when it runs, with `import()`, and not with the table.
 */
import type { Command } from './command.ts';
import { approveCommand } from './commands/approve.ts';
import { authorizeCommand } from './commands/authorize.ts';
import { callCommand } from './commands/call.ts';
import { cancelCommand } from './commands/cancel.ts';
import { denyCommand } from './commands/deny.ts';
import { compareCommand } from './commands/compare.ts';
import { devCommand } from './commands/dev.ts';
import { diagnoseCommand } from './commands/diagnose.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { forkCommand } from './commands/fork.ts';
import { importCommand } from './commands/import.ts';
import { initCommand } from './commands/init.ts';
import { lintCommand } from './commands/lint.ts';
import { locksCommand } from './commands/locks.ts';
import { mcpCommand } from './commands/mcp.ts';
import { openCommand } from './commands/open.ts';
import { openApiCommand } from './commands/openapi.ts';
import { replayCommand } from './commands/replay.ts';
import { resolveCommand } from './commands/resolve.ts';
import { resumeCommand } from './commands/resume.ts';
import { runCommand } from './commands/run.ts';
import { runsCommand } from './commands/runs.ts';
import { serveCommand } from './commands/serve.ts';
import { sendCommand } from './commands/send.ts';
import { showCommand } from './commands/show.ts';
import { toolsCommand } from './commands/tools.ts';
import { upstreamsCommand } from './commands/upstreams.ts';
import { undoCommand } from './commands/undo.ts';
import { versionCommand } from './commands/version.ts';

export const commands: readonly Command[] = [
  initCommand,
  runCommand,
  callCommand,
  runsCommand,
  showCommand,
  replayCommand,
  diagnoseCommand,
  forkCommand,
  compareCommand,
  approveCommand,
  denyCommand,
  authorizeCommand,
  resolveCommand,
  sendCommand,
  cancelCommand,
  resumeCommand,
  undoCommand,
  serveCommand,
  devCommand,
  openCommand,
  exportCommand,
  importCommand,
  doctorCommand,
  lintCommand,
  toolsCommand,
  mcpCommand,
  openApiCommand,
  upstreamsCommand,
  locksCommand,
  versionCommand,
];
