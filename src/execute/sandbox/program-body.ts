/** The body of a tool that is a program, as a function of the input: what the attempt of a call runs in place of `execute`. */
import { failureOf } from '../../call/failure.ts';
import type { Failure } from '../../call/outcome.ts';
import type { Contract, ToolContext } from '../../contract/contract.ts';
import { isSourceProgram, programAliases } from '../../contract/program.ts';
import { producedOutput } from './produced-output.ts';
import { jobOf } from './program-job.ts';
import { outputOf } from './program-output.ts';
import type { SandboxPort } from './sandboxes.ts';

export type ProgramBody =
  | { readonly kind: 'ready'; readonly driver: string; readonly execute: Contract['execute'] }
  | { readonly kind: 'unavailable'; readonly failure: Failure };

/** Undefined for a tool that is a function. */
export async function programBody(
  contract: Contract,
  sandboxes: SandboxPort | undefined,
): Promise<ProgramBody | undefined> {
  const { name, program, sandbox } = contract;
  if (program === undefined || sandbox === undefined) return undefined;
  if (sandboxes === undefined) {
    const message = `${name} is a program, and no sandbox is set up here.`;
    return { kind: 'unavailable', failure: failureOf('sandbox-unavailable', message, { evidence: 'none' }) };
  }
  const place = await sandboxes.place({ name, program, sandbox });
  if (place.kind === 'unavailable') return place;
  const { terms } = contract;
  const body = { name, program, sandbox, timeoutMs: terms.timeoutMs };
  return {
    kind: 'ready',
    driver: place.driver,
    execute: async (input, context) => {
      const reals = await realValues(contract, context);
      const result = await place.run(jobOf(body, input, { ...context, reals }), context.signal);
      if (!isSourceProgram(program) && program.produces !== undefined) {
        return producedOutput({ facts: { ...body, program }, produces: program.produces, context }, result);
      }
      return outputOf(body, result, context.conceal);
    },
  };
}

async function realValues(
  contract: Contract,
  { real }: Pick<ToolContext, 'real'>,
): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(programAliases(contract))];
  return new Map(await Promise.all(names.map(async (alias) => [alias, await real(alias)] as const)));
}
