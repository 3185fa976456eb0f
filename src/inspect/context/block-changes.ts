/** What is different between two lists of blocks. */

/** `changed`: at the same place with another text; of a superseded result, for example. */
export type ChangeKind = 'same' | 'added' | 'removed' | 'moved' | 'changed';

export interface Comparable {
  readonly id: string;
  readonly text: string;
}

export interface ComparedBlock<Block> {
  readonly block: Block;
  readonly change: ChangeKind;
}

/**
 * The blocks of `now` in their order, each with what became of it since `before`; what is gone stands behind what stood before it.
 * As few blocks as possible are `moved`: those outside of the longest run of blocks that keeps its order.
 */
export function compareBlocks<Block extends Comparable>(
  before: readonly Block[],
  now: readonly Block[],
): readonly ComparedBlock<Block>[] {
  const places = new Map(before.map((block, place) => [block.id, place]));
  const kept = now.flatMap((block) => places.get(block.id) ?? []);
  const inOrder = new Set(longestRising(kept));
  const present = new Set(now.map((block) => block.id));
  const compared: ComparedBlock<Block>[] = [];
  let next = 0;
  const passGone = (upTo: number): void => {
    for (; next < upTo; next += 1) {
      const gone = before[next];
      if (gone !== undefined && !present.has(gone.id)) compared.push({ block: gone, change: 'removed' });
    }
  };
  for (const block of now) {
    const place = places.get(block.id);
    const old = place === undefined ? undefined : before[place];
    if (place === undefined || old === undefined) compared.push({ block, change: 'added' });
    else if (!inOrder.has(place)) compared.push({ block, change: 'moved' });
    else {
      passGone(place);
      compared.push({ block, change: old.text === block.text ? 'same' : 'changed' });
    }
  }
  passGone(before.length);
  return compared;
}

/** The longest rising subsequence of different numbers. */
function longestRising(numbers: readonly number[]): readonly number[] {
  // For each length the place of the smallest number that a sequence of that length can end with.
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [place, number] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous[place] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = place;
  }
  const longest: number[] = [];
  for (let place = ends.at(-1) ?? -1; place >= 0; place = previous[place] ?? -1) longest.push(numbers[place] ?? 0);
  return longest.toReversed();
}
