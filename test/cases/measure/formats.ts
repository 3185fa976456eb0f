/** Every format that is known, and those that wait for capabilities to come. */
import { airlineTrajectories } from './formats/airline-trajectories.ts';
import { bfclFaultyArgs } from './formats/bfcl-faulty-args.ts';
import { bfclValidArgs } from './formats/bfcl-valid-args.ts';
import { issueCases } from './formats/issue-cases.ts';
import { jsonRepair } from './formats/json-repair.ts';
import { jsonSchema } from './formats/json-schema.ts';
import { malformedArgs } from './formats/malformed-args.ts';
import { openApiOperations } from './formats/openapi-tools.ts';
import { providerRecordings } from './formats/provider-recordings.ts';
import { textCalls } from './formats/text-calls.ts';
import type { Format } from './format.ts';

export const formats: readonly Format[] = [
  bfclValidArgs,
  bfclFaultyArgs,
  malformedArgs,
  jsonRepair,
  textCalls,
  issueCases,
  jsonSchema,
  openApiOperations,
  providerRecordings,
  airlineTrajectories,
];

/** Formats that nothing here measures, and why. */
export const leftOut: ReadonlyMap<string, string> = new Map([
  ['redaction', 'redaction is a capability to come'],
  ['injection', 'screening of input is a capability to come'],
]);
