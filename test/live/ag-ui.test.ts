import { EventSchemas } from '@ag-ui/core/schemas';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../src/axle.ts';
import type { TranscriptItem } from '../../src/call/message.ts';
import type { AgUiEvent } from '../../src/live/ag-ui/ag-ui-event.ts';
import { AgUiEncoder } from '../../src/live/ag-ui/ag-ui-encoder.ts';
import { loadRun } from '../../src/run/load-run.ts';
import { describeResult } from '../../src/brain/outcome-text.ts';
import { AgUiClient } from './ag-ui-client.ts';
import { Audience } from './cut-points.ts';
import { type RecordedRun, recordedRuns } from './recorded-runs.ts';

const runs = recordedRuns();

async function encoded(run: RecordedRun) {
  const audience = new Audience([]);
  const { runId, store } = await run.play(audience);
  const [stream = []] = await audience.end();
  const transcript = (await loadRun(store, runId))?.state.transcript.items() ?? [];
  return { runId, stream, transcript, events: encode(runId, stream) };
}

function encode(runId: string, stream: readonly StreamEvent[]): readonly AgUiEvent[] {
  const encoder = new AgUiEncoder(runId);
  return stream.flatMap((event) => encoder.take(event));
}

/** The conversation as the journal has it: what was said, each call with its name, and each result. */
function saidIn(transcript: readonly TranscriptItem[]): readonly string[] {
  return transcript.flatMap((item): readonly string[] => {
    switch (item.kind) {
      case 'user':
        return [`user ${item.text}`];
      case 'notice':
        return [];
      case 'assistant':
        return [
          ...item.parts.flatMap((part) => (part.kind === 'reasoning' ? [`reasoning ${part.text}`] : [])),
          `assistant ${item.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')}`,
          ...item.calls.map(({ toolCallId }) => `call ${toolCallId}`),
        ].filter((line) => line !== 'assistant ');
      case 'results':
        return item.results.map((result) => {
          const told = describeResult(result);
          return `tool ${result.toolCallId} ${told.kind === 'data' ? JSON.stringify(told.value) : told.text}`;
        });
    }
  });
}

function shownBy({ messages }: AgUiClient): readonly string[] {
  return messages.flatMap(({ role, content = '', toolCallId, toolCalls = [] }) => [
    ...(role === 'tool' ? [`tool ${toolCallId} ${content}`] : content === '' ? [] : [`${role} ${content}`]),
    ...toolCalls.map(({ id }) => `call ${id}`),
  ]);
}

describe('a run as AG-UI 1.0', () => {
  it('consists of events that the schemas of the protocol accept, in an order that it allows, and shows what the journal says: all fifty runs', async () => {
    const types = new Set<string>();
    for (const run of runs) {
      const { events, transcript } = await encoded(run);
      const client = new AgUiClient();
      for (const event of events) {
        types.add(event.type);
        const parsed = EventSchemas.safeParse(event);
        expect({ run: run.name, event, issues: parsed.error?.issues }).toMatchObject({ issues: undefined });
        client.take(event);
      }
      const wanted = saidIn(transcript).toSorted();
      expect({ run: run.name, shown: shownBy(client).toSorted() }).toEqual({ run: run.name, shown: wanted });
    }
    expect([...types].sort()).toEqual([
      'CUSTOM',
      'MESSAGES_SNAPSHOT',
      'REASONING_END',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_MESSAGE_START',
      'REASONING_START',
      'RUN_ERROR',
      'RUN_FINISHED',
      'RUN_STARTED',
      'STATE_DELTA',
      'STATE_SNAPSHOT',
      'STEP_FINISHED',
      'STEP_STARTED',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TEXT_MESSAGE_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
      'TOOL_CALL_START',
    ]);
  });

  it('shows the same when nothing of it was provisional: only entries, as a late reader has them', async () => {
    for (const run of runs.slice(21)) {
      const { runId, stream, events } = await encoded(run);
      const [watched, late] = [new AgUiClient(), new AgUiClient()];
      for (const event of events) watched.take(event);
      const entries = stream.filter(({ kind }) => kind === 'entry' || kind === 'waiting' || kind === 'ended');
      for (const event of encode(runId, entries)) late.take(event);
      expect({ run: run.name, shown: shownBy(late).toSorted() }).toEqual({
        run: run.name,
        shown: shownBy(watched).toSorted(),
      });
      expect(late.endings).toEqual(watched.endings);
    }
  });

  it('ends with the interrupts that it waits for, and goes on as another run of the thread', async () => {
    const { events, runId } = await encoded(named('a person who agrees'));
    const [first, second] = events.filter(({ type }) => type === 'RUN_FINISHED');
    expect(first).toMatchObject({
      outcome: {
        type: 'interrupt',
        interrupts: [{ id: `${runId}/1.0`, reason: 'approval', toolCallId: 'call_1_1', metadata: { tool: 'pay' } }],
      },
    });
    expect(second).toMatchObject({
      runId: `${runId}/2`,
      threadId: runId,
      outcome: { type: 'success' },
      result: 'Paid.',
    });
  });

  it('takes back what a model said before it broke off', async () => {
    const { events } = await encoded(named('a model that breaks off'));
    const client = new AgUiClient();
    const texts = events.map((event) => {
      client.take(event);
      return client.messages.at(-1)?.content ?? '';
    });
    expect(texts).toContain('This answer breaks of');
    expect(shownBy(client)).toEqual(['user Please do it.', 'assistant This answer breaks off and comes anew.']);
  });
});

function named(name: string): RecordedRun {
  const run = runs.find((each) => each.name === name);
  if (run === undefined) throw new Error(`No run is named ${name}.`);
  return run;
}
