import { assert as holds, property, array, constantFrom, integer, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConversationView } from '../../src/brain/brain-of-views.ts';
import { failureOf } from '../../src/call/failure.ts';
import type { HistoryResult, TranscriptItem } from '../../src/call/message.ts';
import { Conversation } from '../../src/ai-sdk/prompt.ts';
import { shownItems, shownView } from '../../src/run/shown-items.ts';
import { newState, type RunState } from '../../src/run/state.ts';
import { Transcript } from '../../src/run/transcript.ts';

type Results = Extract<TranscriptItem, { kind: 'results' }>;

interface Called {
  readonly tool: string;
  readonly fits: boolean;
}

function resultsOf(turn: number, called: readonly Called[]): Results {
  return {
    kind: 'results',
    results: called.map(({ tool, fits }, place): HistoryResult => {
      const callId = `${turn}.${place}`;
      const named = { callId, toolCallId: callId, toolName: tool };
      if (fits) return { ...named, outcome: { status: 'succeeded', output: 1 } };
      const failure = failureOf('arguments-invalid', `${callId} was wrong`, { evidence: 'none' });
      return { ...named, outcome: { status: 'failed', failure, effectMayHaveHappened: false } };
    }),
  };
}

function itemsOf(turns: readonly (readonly Called[])[]): readonly TranscriptItem[] {
  return turns.flatMap((called, turn): TranscriptItem[] =>
    called.length === 0 ? [{ kind: 'user', text: `${turn}` }] : [resultsOf(turn, called)],
  );
}

function viewOver(items: readonly TranscriptItem[], before = Transcript.empty): Transcript {
  return items.reduce((view, item) => view.with(item), before);
}

function stateOf(transcript: Transcript): RunState {
  return { ...newState('run_1'), transcript, invalidCalls: [] };
}

/** Which results say what was wrong, by what stands in the whole conversation. */
function expectedOf(items: readonly TranscriptItem[]): readonly (readonly string[])[] {
  return items.map((item, place) => {
    if (item.kind !== 'results') return [];
    const later = items.slice(place + 1).flatMap((other) => (other.kind === 'results' ? other.results : []));
    return item.results.map((result) => {
      if (result.outcome.status !== 'failed') return 'ok';
      return later.some(({ toolName }) => toolName === result.toolName) ? 'superseded' : result.outcome.failure.message;
    });
  });
}

function saidIn(items: readonly TranscriptItem[]): readonly (readonly string[])[] {
  return items.map((item) =>
    item.kind === 'results'
      ? item.results.map(({ outcome }) => {
          if (outcome.status !== 'failed') return 'ok';
          return outcome.failure.message.endsWith('was wrong') ? outcome.failure.message : 'superseded';
        })
      : [],
  );
}

const turnsOf = array(
  array(record({ tool: constantFrom('a', 'b', 'c'), fits: constantFrom(true, false) }), { maxLength: 3 }),
  { maxLength: 12 },
);

describe('what a model is shown of invalid calls', () => {
  test('is a function of the conversation, in whatever steps it grew and whichever view is asked for', () => {
    holds(
      property(turnsOf, array(integer({ min: 0, max: 12 }), { maxLength: 8 }), (turns, lengths) => {
        const items = itemsOf(turns);
        const views = items.reduce<readonly Transcript[]>(
          (made, item) => [...made, (made.at(-1) ?? Transcript.empty).with(item)],
          [],
        );
        const kept: { readonly view: ConversationView; readonly items: readonly TranscriptItem[] }[] = [];
        for (const length of [...lengths, items.length]) {
          const transcript = views[Math.min(length, items.length) - 1] ?? Transcript.empty;
          const view = shownView(stateOf(transcript));
          expect(saidIn(view.items())).toEqual(expectedOf(transcript.items()));
          // An item that is not changed is the item of the conversation, and one that is changed is changed once.
          const again = shownItems(stateOf(transcript));
          expect(again.every((item, place) => item === view.items()[place])).toBe(true);
          kept.push({ view, items: view.items() });
        }
        for (const one of kept) {
          // No view changes, and views of one log are beginnings of each other.
          expect(one.view.items()).toEqual(one.items);
          for (const other of kept.filter(({ view }) => view.log === one.view.log)) {
            const shared = Math.min(one.items.length, other.items.length);
            expect(one.items.slice(0, shared).every((item, place) => item === other.items[place])).toBe(true);
          }
        }
      }),
    );
  });

  test('is one log while nothing in it is changed, so that a turn touches what is new', () => {
    const old = itemsOf(Array.from({ length: 50 }, () => [{ tool: 'a', fits: true }]));
    const wrong = resultsOf(50, [{ tool: 'b', fits: false }]);
    let transcript = viewOver([...old, wrong]);
    const conversation = new Conversation();
    const first = shownView(stateOf(transcript));
    conversation.messages('', first);
    const turn = (tool: string): ConversationView => {
      transcript = viewOver(itemsOf([[], [{ tool, fits: true }]]), transcript);
      return shownView(stateOf(transcript));
    };
    for (let count = 0; count < 3; count += 1) {
      const view = turn('a');
      expect(view.log).toBe(first.log);
      expect(view.items(first.length + 2 * count)).toHaveLength(2);
    }
    const changed = turn('b');
    expect(changed.log).not.toBe(first.log);
    expect(changed.items(0)[50]).not.toBe(wrong);
    expect(first.items(0)[50]).toBe(wrong);
    expect(turn('b').log).toBe(changed.log);
    expect(conversation.messages('', changed)).toHaveLength(changed.length);
  });
});
