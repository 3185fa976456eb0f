/**
 * The linter: what in a contract will make a model miss the tool or misuse it, with a score and what to do.
 *
 * A tool starts at 100; an error costs 25, a warning 10, a piece of advice 3, and nothing goes below 0. The score of a set is the mean of its tools.
 * One rule costs a tool at most three times its weight, so that one habit does not drown everything else.
 */
import type { Contract } from '../contract.ts';
import { descriptionRules } from './description-rules.ts';
import { parameterRules } from './parameter-rules.ts';
import { promiseRules } from './promise-rules.ts';
import { providerRules } from './provider-rules.ts';
import type { Finding, Found, Provider, Severity, SetRule, ToolRule } from './rule.ts';
import { setRules } from './set-rules.ts';

const weights: Readonly<Record<Severity, number>> = { error: 25, warning: 10, advice: 3 };
const mostTimesCounted = 3;

export interface LintOptions {
  /** Providers whose limits matter. @defaultValue all */
  readonly providers?: readonly Provider[];
  /** Ids of rules to leave out. @defaultValue none */
  readonly without?: readonly string[];
}

export interface LintedTool {
  readonly name: string;
  readonly version: number;
  /** 0 to 100. */
  readonly score: number;
  readonly findings: readonly Finding[];
}

export interface LintReport {
  /** 0 to 100: the mean of the tools, 100 when there are none. */
  readonly score: number;
  readonly counts: Readonly<Record<Severity, number>>;
  /** In the order in which they were given. */
  readonly tools: readonly LintedTool[];
}

const toolRules: readonly ToolRule[] = [...descriptionRules, ...parameterRules, ...promiseRules, ...providerRules];

/** All rules: what `docs/lint.md` lists. */
export const lintRules: readonly (ToolRule | SetRule)[] = [...toolRules, ...setRules];

/** Looks at contracts one by one and beside each other. Nothing is called and nothing is changed. */
export function lintTools(contracts: readonly Contract[], options: LintOptions = {}): LintReport {
  const wanted = (rule: ToolRule | SetRule): boolean => options.without?.includes(rule.id) !== true;
  const concerns = ({ provider }: Found): boolean =>
    provider === undefined || options.providers === undefined || options.providers.includes(provider);
  const found = new Map<Contract, Finding[]>(contracts.map((contract) => [contract, []]));
  const add = (rule: ToolRule | SetRule, contract: Contract, finding: Found): void => {
    if (!concerns(finding)) return;
    const { at, provider, message, remedy } = finding;
    found.get(contract)?.push({
      rule: rule.id,
      severity: rule.severity,
      tool: contract.name,
      version: contract.version,
      ...(at === undefined ? {} : { at }),
      ...(provider === undefined ? {} : { provider }),
      message,
      remedy,
    });
  };
  for (const rule of toolRules.filter(wanted)) {
    for (const contract of contracts) for (const finding of rule.check(contract)) add(rule, contract, finding);
  }
  for (const rule of setRules.filter(wanted)) {
    for (const { contract, ...finding } of rule.checkAll(contracts)) add(rule, contract, finding);
  }
  const tools = [...found].map(([{ name, version }, findings]): LintedTool => ({
    name,
    version,
    score: scoreOf(findings),
    findings,
  }));
  return reportOf(tools);
}

/** The report about tools that were looked at; a part of a report is one too. */
export function reportOf(tools: readonly LintedTool[]): LintReport {
  const all = tools.flatMap(({ findings }) => findings);
  const count = (severity: Severity): number => all.filter((finding) => finding.severity === severity).length;
  return {
    score: tools.length === 0 ? 100 : Math.round(tools.reduce((sum, { score }) => sum + score, 0) / tools.length),
    counts: { error: count('error'), warning: count('warning'), advice: count('advice') },
    tools,
  };
}

function scoreOf(findings: readonly Finding[]): number {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  const lost = [...byRule.values()].reduce(
    (sum, [first, ...others]) =>
      first === undefined ? sum : sum + weights[first.severity] * Math.min(mostTimesCounted, 1 + others.length),
    0,
  );
  return Math.max(0, 100 - lost);
}
