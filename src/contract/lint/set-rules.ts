/** Rules about tools beside each other: names and purposes that a model confuses, and tools cut too fine. */
import { canonicalJson } from '../../util/json.ts';
import { schemasOf } from '../schema/schema-view.ts';
import type { Contract } from '../contract.ts';
import { bareName } from '../near-miss.ts';
import { wordsOf } from '../tool-index.ts';
import { parametersOf } from './schema-walk.ts';
import type { SetRule } from './rule.ts';
import { verbOf } from './verbs.ts';

/** Cosine of the weighted words of two tools from which on a model cannot tell them apart by their words. */
const alike = 0.85;
/** Comparing is quadratic: among more tools than this, only tools of one category are compared. */
const mostCompared = 1_000;
/** So many tools that read one thing each, of one thing, are one tool. */
const fewestSlices = 4;
/** Values of an `action` argument, and other arguments, from which on one tool is several. */
const mostActions = 4;

export const setRules: readonly SetRule[] = [
  {
    id: 'names-alike',
    severity: 'error',
    about: 'two names that differ in case and separators only',
    checkAll: (contracts) => {
      const byBareName = Map.groupBy(newestOf(contracts), ({ name }) => bareName(name.replaceAll('.', '_')));
      return [...byBareName.values()].flatMap((group) =>
        group.slice(1).map((contract) => ({
          contract,
          at: 'name',
          message: `Its name is that of ${group[0]?.name} in another spelling.`,
          remedy: 'Rename one: a near miss of the model then means one tool.',
        })),
      );
    },
  },
  {
    id: 'tools-overlap',
    severity: 'warning',
    about: 'two tools whose words say the same',
    checkAll: (contracts) =>
      overlaps(newestOf(contracts)).map(([contract, other, likeness]) => ({
        contract,
        at: 'description',
        message: `It reads like ${other.name} (${Math.round(likeness * 100)} % alike).`,
        remedy: 'Say in both when to use which (whenToUse, limitations), or make one of them.',
      })),
  },
  {
    id: 'tools-too-fine',
    severity: 'advice',
    about: 'several tools that each read one property of the same thing',
    checkAll: (contracts) => {
      const slices = Map.groupBy(
        newestOf(contracts).filter(({ effect }) => effect === 'read'),
        (contract) => `${wordsOf(contract.name).slice(0, -1).join(' ')} ${canonicalJson(contract.input.json)}`,
      );
      return [...slices.values()]
        .filter((group) => group.length >= fewestSlices && wordsOf(group[0]?.name ?? '').length > 2)
        .flatMap((group) =>
          group.slice(0, 1).map((contract) => ({
            contract,
            message: `${group.length} tools read one property each for the same arguments: ${group
              .map(({ name }) => name)
              .slice(0, 6)
              .join(', ')}.`,
            remedy: 'Make one tool that gives all of them: it saves a turn for each.',
          })),
        );
    },
  },
  {
    id: 'tool-too-broad',
    severity: 'advice',
    about: 'one tool that is several, told apart by an argument',
    checkAll: (contracts) =>
      newestOf(contracts).flatMap((contract) => {
        const parameters = parametersOf(contract.input.json).filter(({ depth }) => depth === 1);
        const action = parameters.find(({ name }) => /^(?:action|command|mode|operation|op|type)$/i.test(name));
        const choices = action === undefined ? [] : schemasOf(action.schema['enum']);
        return action === undefined || choices.length < mostActions || parameters.length <= mostActions
          ? []
          : [
              {
                contract,
                at: action.at,
                message: `${action.name} chooses among ${choices.length} operations, with ${parameters.length - 1} other arguments.`,
                remedy: 'Make a tool of each operation: its effect, risk and required arguments are then its own.',
              },
            ];
      }),
  },
];

/** The newest version of each tool: older ones are kept for runs that began with them. */
function newestOf(contracts: readonly Contract[]): readonly Contract[] {
  const newest = new Map<string, Contract>();
  for (const contract of contracts) {
    const known = newest.get(contract.name);
    if (known === undefined || known.version < contract.version) newest.set(contract.name, contract);
  }
  return [...newest.values()];
}

type Overlap = readonly [contract: Contract, other: Contract, likeness: number];

/** Each tool with the one before it that it is most alike, where that is too alike. */
function overlaps(contracts: readonly Contract[]): readonly Overlap[] {
  const vectors = vectorsOf(contracts);
  return contracts.flatMap((contract, index): readonly Overlap[] => {
    let best: Overlap | undefined;
    for (let earlier = 0; earlier < index; earlier += 1) {
      const other = contracts[earlier];
      if (other === undefined || !mayOverlap(contract, other, contracts.length)) continue;
      const likeness = cosine(vectors[index], vectors[earlier]);
      if (likeness >= alike && likeness > (best?.[2] ?? 0)) best = [contract, other, likeness];
    }
    return best === undefined ? [] : [best];
  });
}

/** Tools whose names say that they do different things are told apart by that. */
function mayOverlap(contract: Contract, other: Contract, count: number): boolean {
  if (count > mostCompared && contract.category !== other.category) return false;
  const [verb, otherVerb] = [verbOf(contract), verbOf(other)];
  return verb === undefined || otherVerb === undefined || verb.kind === otherVerb.kind;
}

type Vector = ReadonlyMap<string, number>;

/** Words of name and description, each weighted by how few tools have it (tf-idf), of length 1. */
function vectorsOf(contracts: readonly Contract[]): readonly Vector[] {
  const bags = contracts.map(({ name, description, whenToUse = '' }) => wordsOf(`${name} ${description} ${whenToUse}`));
  const holders = new Map<string, number>();
  for (const bag of bags) for (const word of new Set(bag)) holders.set(word, (holders.get(word) ?? 0) + 1);
  return bags.map((bag) => {
    const vector = new Map<string, number>();
    for (const word of bag) {
      vector.set(word, (vector.get(word) ?? 0) + Math.log(1 + contracts.length / (holders.get(word) ?? 1)));
    }
    const length = Math.hypot(...vector.values());
    return new Map([...vector].map(([word, weight]) => [word, weight / (length || 1)]));
  });
}

function cosine(left: Vector | undefined, right: Vector | undefined): number {
  let sum = 0;
  for (const [word, weight] of left ?? []) sum += weight * (right?.get(word) ?? 0);
  return sum;
}
