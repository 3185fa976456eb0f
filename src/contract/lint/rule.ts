/** What a rule of the linter is, and what it finds. */
import type { Contract } from '../contract.ts';

/** `error`: the tool cannot work as declared. `warning`: a model will misuse or miss it. `advice`: it could be better. */
export type Severity = 'error' | 'warning' | 'advice';

/** The model provider whose limits a finding speaks of. */
export type Provider = (typeof providers)[number];

export const providers = ['anthropic', 'google', 'openai'] as const;

export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly tool: string;
  readonly version: number;
  /** JSON Pointer into the input schema, or the name of a field; absent when the whole is meant. */
  readonly at?: string;
  /** Present when only this provider is concerned. */
  readonly provider?: Provider;
  /** What is the matter, with the value. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** A finding as its rule makes it. */
export type Found = Omit<Finding, 'rule' | 'severity' | 'tool' | 'version'>;

interface RuleFacts {
  readonly id: string;
  readonly severity: Severity;
  /** What the rule looks for, in one line. */
  readonly about: string;
}

/** A rule about one contract by itself. */
export interface ToolRule extends RuleFacts {
  readonly check: (contract: Contract) => readonly Found[];
}

/** A rule about a contract among the others. */
export interface SetRule extends RuleFacts {
  readonly checkAll: (contracts: readonly Contract[]) => readonly (Found & { readonly contract: Contract })[];
}
