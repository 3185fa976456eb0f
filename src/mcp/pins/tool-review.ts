/**
 * What a server offers, held against what was accepted of it. Pure.
 *
 * Q1 A tool that is not as it was accepted is not called: the description may have been changed to mislead a model, and the schema to collect what it should not.
 * Q2 Only a person accepts; neither time nor a restart does.
 */
import { changesBetween, type DescriptionChange, fingerprintOf, type OfferedTool } from '../tools/offered-tool.ts';

/** One tool of a server, as it stands. */
export type ToolReview =
  | { readonly kind: 'accepted'; readonly name: string; readonly fingerprint: string; readonly tool: OfferedTool }
  /** Not called until somebody accepts it. */
  | {
      readonly kind: 'changed';
      readonly name: string;
      readonly fingerprint: string;
      readonly tool: OfferedTool;
      readonly accepted: OfferedTool;
      readonly changes: readonly DescriptionChange[];
    }
  /** Offered since the others were accepted. */
  | { readonly kind: 'new'; readonly name: string; readonly fingerprint: string; readonly tool: OfferedTool }
  /** Accepted, and not offered any more. */
  | { readonly kind: 'gone'; readonly name: string; readonly accepted: OfferedTool };

/** The tools of a server that somebody accepted, by name. */
export type AcceptedTools = ReadonlyMap<string, OfferedTool>;

export function reviewOf(accepted: AcceptedTools, offered: readonly OfferedTool[]): readonly ToolReview[] {
  const names = new Set(offered.map((tool) => tool.name));
  const gone = [...accepted].filter(([name]) => !names.has(name));
  return [
    ...offered.map((tool) => reviewTool(tool, accepted.get(tool.name))),
    ...gone.map(([name, tool]) => ({ kind: 'gone' as const, name, accepted: tool })),
  ];
}

function reviewTool(tool: OfferedTool, accepted: OfferedTool | undefined): ToolReview {
  const { name } = tool;
  const fingerprint = fingerprintOf(tool);
  if (accepted === undefined) return { kind: 'new', name, fingerprint, tool };
  if (fingerprintOf(accepted) === fingerprint) return { kind: 'accepted', name, fingerprint, tool };
  return { kind: 'changed', name, fingerprint, tool, accepted, changes: changesBetween(accepted, tool) };
}

/** What is accepted once a review has been: of these names, or of all. What is gone is forgotten. */
export function acceptedAfter(
  review: readonly ToolReview[],
  names: ReadonlySet<string> | 'all',
): ReadonlyMap<string, OfferedTool> {
  const accepted = new Map<string, OfferedTool>();
  for (const one of review) {
    const isMeant = names === 'all' || names.has(one.name);
    switch (one.kind) {
      case 'accepted':
        accepted.set(one.name, one.tool);
        break;
      case 'changed':
        accepted.set(one.name, isMeant ? one.tool : one.accepted);
        break;
      case 'new':
        if (isMeant) accepted.set(one.name, one.tool);
        break;
      case 'gone':
        if (!isMeant) accepted.set(one.name, one.accepted);
        break;
    }
  }
  return accepted;
}

/** What is not as it was accepted, in words; undefined when all is. */
export function reviewText(review: readonly ToolReview[]): string | undefined {
  const parts = [
    sentence(review, 'changed', 'were changed and are not called'),
    sentence(review, 'new', 'are new'),
    sentence(review, 'gone', 'are not offered any more'),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `${parts.join('; ')}.`;
}

const maxNames = 10;

function sentence(review: readonly ToolReview[], kind: ToolReview['kind'], words: string): string | undefined {
  const names = review.filter((one) => one.kind === kind).map((one) => one.name);
  if (names.length === 0) return undefined;
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `${names.slice(0, maxNames).join(', ')}${more} ${words}`;
}
