/** A run looked at closely: one span, the conversation, decisions, what a model saw, the state after an entry. */
import { AxleError } from '../../error/axle-error.ts';
import { contextBlockText, contextView } from '../../inspect/context/context-view.ts';
import { spanDetail } from '../../inspect/span-detail.ts';
import { stateAt } from '../../inspect/state/state-at.ts';
import { type Append, lastSeqOf } from '../../journal/entry.ts';
import { readPages } from '../../journal/read-appends.ts';
import type { ReadOptions } from '../../journal/store.ts';
import { decisionsOf } from '../../trace/story/decisions.ts';
import { transcriptOf } from '../../trace/story/transcript.ts';
import { traceOf } from '../../trace/trace-of.ts';
import { defined } from '../../util/defined.ts';
import { pageOf } from '../schema/components.ts';
import { named, object, strictObject, text } from '../schema/json-schema.ts';
import type { Page } from '../wire.ts';
import { type Asked, json, numberIn, param, type Route } from './route.ts';
import { summaryOf } from './run-routes.ts';

const place = { type: 'integer', minimum: 0 };
const pageParameters = {
  after: { about: 'How many to pass over: the `next` of the page before.', schema: place },
  limit: { about: 'How many, 5,000 when nothing is said.', schema: { type: 'integer', minimum: 1, maximum: 20_000 } },
};

export const lookRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/runs/{runId}/spans/{spanId}',
    id: 'getSpan',
    about: 'Everything that the journal says of one span. Large values stand in it by their hash.',
    scope: 'read',
    answers: { 200: { about: 'The span.', schema: named('SpanDetail') } },
    handle: async (asked) => {
      const runId = param(asked, 'runId');
      const spanId = param(asked, 'spanId');
      const appends = await appendsOf(asked, { bodies: 'reference' });
      const detail = spanDetail(await asked.parts.spans.builder(runId), appends, spanId);
      if (detail === undefined) throw new AxleError('span-unknown', `Run ${runId} has no span ${spanId}.`);
      return json(detail);
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/transcript',
    id: 'getTranscript',
    about: 'The run as a conversation: what was said, by whom, and every call with what became of it.',
    scope: 'read',
    query: pageParameters,
    answers: { 200: { about: 'Its lines in order.', schema: pageOf('TranscriptLine') } },
    handle: async (asked) => {
      const trace = traceOf(await appendsOf(asked, { bodies: 'reference' }));
      return json(pageIn(asked, transcriptOf(trace)));
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/decisions',
    id: 'listDecisions',
    about: 'What was decided, in order: by the model, by policy, by people.',
    scope: 'read',
    query: pageParameters,
    answers: { 200: { about: 'The decisions.', schema: pageOf('DecisionRow') } },
    handle: async (asked) => {
      const trace = traceOf(await appendsOf(asked, { bodies: 'reference' }));
      return json(pageIn(asked, decisionsOf(trace)));
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/context/{seq}',
    id: 'getContext',
    about: 'What the model saw in the call that an entry announced, block by block, and what is new in it.',
    scope: 'read',
    query: {
      against: { about: 'The entry of the call to compare with: the one before when not said.', schema: place },
    },
    answers: { 200: { about: 'What it saw.', schema: named('ContextView') } },
    handle: async (asked) => {
      const { runId } = await summaryOf(asked, param(asked, 'runId'));
      const against = numberIn(asked.query, 'against');
      return json(await contextView(asked.parts.axle.store, runId, { seq: seqOf(asked), ...defined({ against }) }));
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/context/{seq}/blocks/{blockId}',
    id: 'getContextBlock',
    about: 'The whole text of one block of what the model saw.',
    scope: 'read',
    answers: { 200: { about: 'The text.', schema: object({ id: text, text }) } },
    handle: async (asked) => {
      const { runId } = await summaryOf(asked, param(asked, 'runId'));
      const id = param(asked, 'blockId');
      const found = await contextBlockText(asked.parts.axle.store, runId, { seq: seqOf(asked), id });
      if (found === undefined) throw new AxleError('body-unknown', `What the model saw has no block ${id}.`);
      return json({ id, text: found });
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/state',
    id: 'getState',
    about: 'The state of the run after an entry, and what that entry changed in it (RFC 6902).',
    scope: 'read',
    query: { seq: { about: 'The entry: the last one when not said.', schema: { type: 'integer', minimum: 1 } } },
    answers: { 200: { about: 'The state.', schema: named('StateAt') } },
    handle: async (asked) => {
      const last = await summaryOf(asked, param(asked, 'runId'));
      const seq = numberIn(asked.query, 'seq') ?? last.seq;
      return json(stateAt(await appendsOf(asked, { upTo: seq }), seq));
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/diagnosis',
    id: 'diagnoseRun',
    about: 'What probably went wrong in the run, most likely first, each with the entries that show it and a remedy.',
    scope: 'read',
    answers: { 200: { about: 'Its likely faults.', schema: named('Diagnosis') } },
    handle: async (asked) => json(await asked.parts.axle.diagnose(param(asked, 'runId'))),
  },
  {
    method: 'POST',
    path: '/v1/runs/{runId}/replay',
    id: 'replayRun',
    about: 'Decides the recording again with no model and no tool, compares it byte by byte, and changes nothing.',
    scope: 'read',
    body: strictObject({}, { step: place }),
    answers: { 200: { about: 'Whether it is the same, or where it parts.', schema: named('ReplayReport') } },
    handle: async (asked) => {
      const step = numberIn(asked.body, 'step');
      return json(await asked.parts.axle.replay(param(asked, 'runId'), defined({ step })));
    },
  },
];

/** The appends of the run, to its end or to the one that holds an entry. @throws AxleError `run-unknown` */
async function appendsOf(
  asked: Asked,
  { upTo = Infinity, ...options }: Pick<ReadOptions, 'bodies'> & { readonly upTo?: number },
): Promise<readonly Append[]> {
  const { runId } = await summaryOf(asked, param(asked, 'runId'));
  const appends: Append[] = [];
  for await (const page of readPages(asked.parts.axle.store, runId, options)) {
    appends.push(...page);
    const last = page.at(-1);
    if (last !== undefined && lastSeqOf(last) >= upTo) break;
  }
  return appends;
}

function pageIn<Item>({ query }: Asked, items: readonly Item[]): Page<Item> {
  const after = numberIn(query, 'after') ?? 0;
  const end = after + (numberIn(query, 'limit') ?? 5_000);
  return { items: items.slice(after, end), ...(end < items.length ? { next: String(end) } : {}) };
}

/** The entry in the path. */
function seqOf(asked: Asked): number {
  const given = param(asked, 'seq');
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new AxleError('request-invalid', `An entry is a number, and not ${JSON.stringify(given)}.`);
}
