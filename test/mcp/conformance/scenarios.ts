/**
 * The client scenarios of the protocol's conformance suite: those that Axle's client passes, and the others with the reason why not. A test holds this to what
 * the suite lists, so that a scenario that comes with a release is not overlooked.
 */

/** Scenarios of the stable release, and of the next one for revision 2026-07-28. */
export const supported: ReadonlySet<string> = new Set([
  'initialize',
  'tools_call',
  'sse-retry',
  'request-metadata',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
  'json-schema-2020-12-preservation',
]);

const unsupported: ReadonlyArray<readonly [pattern: RegExp, reason: string]> = [
  [
    /^elicitation-/,
    'a server that asks the user something is refused with a code: a tool gets what stands in its arguments',
  ],
  [
    /^sep-2322-/,
    'the same in revision 2026-07-28: a call that wants input before it goes on ends with mcp-input-required',
  ],
  [
    /^auth\//,
    'OAuth is not spoken: who asks is proved by a header or another credential, whose value is a secret of the environment',
  ],
  [/^sep-2640-/, 'skills are an extension and no tools'],
];

/** Why a scenario is not supported; undefined for one that is, and for one that nobody has judged. */
export function reasonAgainst(scenario: string): string | undefined {
  return unsupported.find(([pattern]) => pattern.test(scenario))?.[1];
}
