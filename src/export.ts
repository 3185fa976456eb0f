/** `axle/export`: runs as files, for keeping, for looking at elsewhere, for training and evaluation; and run files taken in again. */
export { type ExportFormat, exportFormats, exportRun, endedRuns, type SelectOptions } from './export/export-run.ts';
export { type ImportedRun, importRun } from './export/import-run.ts';
export { type RunFileSource } from './export/read-run-file.ts';
export type { AtifMetrics, AtifStep, AtifTrajectory } from './export/atif.ts';
export type { ChatExample, ChatMessage } from './export/chat.ts';
