import type { Contract } from '../../contract/contract.ts';
import type { LintedTool, LintReport } from '../../contract/lint/lint-tools.ts';
import { type Finding, type Provider, providers } from '../../contract/lint/rule.ts';
import { thereAre } from '../../contract/near-miss.ts';
import { oneLine } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { toolsOf } from '../known-contracts.ts';
import type { Terminal } from '../terminal.ts';

export const lintCommand: Command = {
  name: 'lint',
  about: 'score the contracts of the tools, with advice',
  positionals: [{ name: 'TOOL', isOptional: true }],
  options: {
    min: { value: 'SCORE', about: 'fail when a tool scores less, 0 to 100 (default: only errors fail)' },
    provider: { value: 'NAME', about: 'only the limits of this provider: anthropic, google or openai (default: all)' },
    without: { value: 'RULES', about: 'leave rules out, separated by commas' },
    only: { value: 'NAMES', about: 'only these tools, separated by commas; crm.* is a group, or all of a server' },
    all: { about: 'show also what is less than an error in tools that others have written' },
    quiet: { about: 'errors and warnings only' },
  },
  details:
    'Looks at every tool of the configuration, those of tool sources (MCP servers are started and ended), or at TOOL alone. It calls none of them. Of tools that others have written (of MCP servers and OpenAPI documents) only errors are shown, unless they are named or with --all; scores and --json have everything. Exit code 1 when there is an error, or a tool below --min.',
  examples: [
    'axle lint',
    'axle lint --min 80 --json',
    "axle lint --only 'crm.*,refund'",
    'axle lint refund --provider openai --without result-not-declared',
  ],
  run: lint,
};

async function lint(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  const least = leastScore(invocation);
  const provider = providerOf(invocation);
  const config = await place.config();
  const { contracts, foreign } = await toolsOf(config, terminal);
  const name = invocation.optionalArgument(0);
  if (name !== undefined && !contracts.some((contract) => contract.name === name)) {
    throw invocation.usage(
      `No tool is named ${name}; ${thereAre(
        name,
        contracts.map((each) => each.name),
      )}.`,
    );
  }
  // A tool alone is still looked at among the others: an overlap is with one of them.
  const { lintTools, reportOf } = await import('../../contract/lint/lint-tools.ts');
  const whole = lintTools(contracts, {
    ...(provider === undefined ? {} : { providers: [provider] }),
    without: invocation.list('without') ?? [],
  });
  const only = name === undefined ? onlyOf(invocation, contracts) : [name];
  const report = only === undefined ? whole : reportOf(whole.tools.filter((tool) => isMeant(tool.name, only)));
  const tooLow = report.tools.filter(({ score }) => least !== undefined && score < least);
  if (terminal.isJson) terminal.json(report);
  else {
    const hidden = only === undefined && !invocation.has('all') ? foreign : new Set<string>();
    say(report, terminal, { isQuiet: invocation.has('quiet'), hidden });
  }
  if (tooLow.length > 0) terminal.note(`Below ${least}: ${tooLow.map(label).join(', ')}.`);
  return tooLow.length > 0 || report.counts.error > 0 ? 'failed' : 'ok';
}

/** What `--only` names; each must name something. */
function onlyOf(invocation: Invocation, contracts: readonly Contract[]): readonly string[] | undefined {
  const only = invocation.list('only');
  for (const pattern of only ?? []) {
    if (contracts.some((contract) => isMeant(contract.name, [pattern]))) continue;
    const names = contracts.map((each) => each.name);
    throw invocation.usage(`--only ${pattern} names no tool; ${thereAre(pattern, names)}.`);
  }
  return only;
}

function isMeant(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
}

function leastScore(invocation: Invocation): number | undefined {
  const asked = invocation.text('min');
  if (asked === undefined) return undefined;
  const least = Number(asked);
  if (asked.trim() === '' || !Number.isInteger(least) || least < 0 || least > 100) {
    throw invocation.usage(`--min is a whole number from 0 to 100, and not ${asked}.`);
  }
  return least;
}

function providerOf(invocation: Invocation): Provider | undefined {
  const asked = invocation.text('provider');
  if (asked === undefined) return undefined;
  const provider = providers.find((each) => each === asked);
  if (provider === undefined) throw invocation.usage(`--provider is ${providers.join(', ')}, and not ${asked}.`);
  return provider;
}

interface Shown {
  readonly isQuiet: boolean;
  /** Tools of which only errors are shown. */
  readonly hidden: ReadonlySet<string>;
}

function say(report: LintReport, terminal: Terminal, { isQuiet, hidden }: Shown): void {
  let left = 0;
  for (const tool of report.tools) {
    const isForeign = hidden.has(tool.name);
    const findings = tool.findings.filter(({ severity }) =>
      isForeign ? severity === 'error' : !isQuiet || severity !== 'advice',
    );
    if (isForeign) left += tool.findings.length - findings.length;
    if ((isQuiet || isForeign) && findings.length === 0) continue;
    terminal.say(`${String(tool.score).padStart(3)}  ${label(tool)}`);
    for (const finding of findings) for (const line of findingLines(finding)) terminal.say(line);
  }
  const { error, warning, advice } = report.counts;
  terminal.say(
    `${report.score} of 100 over ${counted(report.tools.length, 'tool')}: ${counted(error, 'error')}, ${counted(warning, 'warning')}, ${advice} advice.`,
  );
  if (left > 0) {
    terminal.say(
      `${counted(left, 'finding')} about tools that others have written not shown: --all shows them, --only those of some tools.`,
    );
  }
}

function findingLines({ severity, rule, at, provider, message, remedy }: Finding): readonly string[] {
  const place = [at, provider].filter((part) => part !== undefined && part !== '').join(', ');
  return [
    `     ${severity} ${rule}${place === '' ? '' : ` (${oneLine(place)})`}: ${oneLine(message)}`,
    `       ${oneLine(remedy)}`,
  ];
}

function label({ name, version }: Pick<LintedTool, 'name' | 'version'>): string {
  return version === 1 ? oneLine(name) : `${oneLine(name)} version ${version}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
