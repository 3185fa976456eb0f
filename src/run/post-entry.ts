/**
 * From what others posted to the entries that say so. What cannot be used becomes `post-refused`, in words; nothing is dropped, and the key of the refused post is
 * free for another answer. (R17)
 *
 * - An answer counts only for the open question and the exact arguments it was given for, before it expires. (R15, L8)
 * - A doubt is resolved once, by an answer about the attempt that is in doubt; evidence and answers that come later change nothing that is recorded. (R14)
 */
import { argsHashOf } from '../call/args-hash.ts';
import { failureOf } from '../call/failure.ts';
import { bindInput } from '../contract/bind.ts';
import type { Entry } from '../journal/entry.ts';
import { attemptResult } from '../journal/entry-checks.ts';
import type { PostedItem } from '../journal/store.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { authorizingCalls } from './authorization.ts';
import type { RunCode } from './run-code.ts';
import { type CallState, findCall, type RunState } from './state.ts';

/** The entries that a posted item becomes: one, or one for each call that waits for the same answer. */
export function takePost(state: RunState, post: PostedItem, code: RunCode): readonly Entry[] {
  const body = isJsonObject(post.body) ? post.body : {};
  switch (post.kind) {
    case 'cancel':
      return [{ type: 'cancel-requested', reason: textOf(body, 'reason') ?? 'cancelled', ...textsOf(body, 'by') }];
    case 'message':
      if (state.task?.kind !== 'agent') return [refused('message', 'Only a run of an agent takes messages.')];
      return [{ type: 'message-received', text: textOf(body, 'text') ?? '' }];
    case 'approval':
      return [takeApproval(state, body, code)];
    case 'authorization':
      return takeAuthorization(state, body);
    case 'resolve':
      return [takeResolution(state, body, code)];
    case 'evidence':
      return [takeEvidence(state, body)];
  }
}

function takeApproval(state: RunState, body: JsonObject, code: RunCode): Entry {
  const approvalId = textOf(body, 'approvalId') ?? '';
  const about = `approval ${approvalId}`;
  const { call, phase } = callOfApproval(state, approvalId) ?? {};
  if (call === undefined || phase?.kind !== 'asking') return refused(about, `The approval ${approvalId} is not open.`);
  if (phase.expiresAtMs <= state.nowMs) return refused(about, `The approval ${approvalId} has expired.`);
  const argsHash = call.argsHash ?? argsHashOf(call);
  if (textOf(body, 'argsHash') !== argsHash) {
    return refused(about, `The answer was given for other arguments than those of call ${call.callId}.`);
  }
  const { callId, toolCallId } = call;
  const { decision: verdict, edit } = body;
  if (verdict !== 'approve' && verdict !== 'deny') return refused(about, 'An answer is approve or deny.');
  const entry = {
    type: 'approval-answered',
    approvalId,
    callId,
    verdict,
    argsHash,
    ...textsOf(body, 'note', 'by'),
  } as const;
  if (edit === undefined || verdict === 'deny') return entry;
  const contract = code.contracts.get(call.tool);
  if (contract === undefined) return refused(about, `The tool ${call.tool} is not here to check the edited arguments.`);
  const edited = bindInput(contract, edit, { callId, toolCallId });
  return edited.kind === 'bound' ? { ...entry, edited: edited.call } : refused(about, edited.failure.message);
}

function takeAuthorization(state: RunState, body: JsonObject): readonly Entry[] {
  const authorizationId = textOf(body, 'authorizationId') ?? '';
  const about = `authorization ${authorizationId}`;
  const waiting = authorizingCalls(state, authorizationId);
  const [first] = waiting;
  if (first === undefined) return [refused(about, `The authorisation ${authorizationId} is not open.`)];
  if (first.phase.expiresAtMs <= state.nowMs) {
    return [refused(about, `The authorisation ${authorizationId} has expired.`)];
  }
  const { granted } = body;
  if (typeof granted !== 'boolean') return [refused(about, 'An answer says granted: true or false.')];
  const said = { granted, ...textsOf(body, 'note', 'by') };
  return waiting.map(({ callId }) => ({ type: 'authorization-answered', callId, authorizationId, ...said }));
}

function takeResolution(state: RunState, body: JsonObject, code: RunCode): Entry {
  const callId = textOf(body, 'callId') ?? '';
  const about = `call ${callId}`;
  const { call, phase } = findCall(state, callId) ?? {};
  if (call === undefined || phase?.kind !== 'doubtful') return refused(about, `The call ${callId} is not in doubt.`);
  if (body['attempt'] !== undefined && body['attempt'] !== phase.attempt) {
    return refused(about, `The answer was given for another attempt of call ${callId}.`);
  }
  const said = { type: 'call-resolved', callId, by: 'person', ...textsOf(body, 'note'), ...personOf(body) } as const;
  const { happened, output = null, then = 'fail' } = body;
  if (happened === true) {
    const fits = code.contracts.get(call.tool)?.output?.check(output).ok !== false;
    return fits
      ? { ...said, verdict: { kind: 'happened', output } }
      : refused(about, `The output does not fit what ${call.tool} declares.`);
  }
  if (happened !== false || (then !== 'retry' && then !== 'fail')) {
    return refused(
      about,
      'A resolution says happened: true with an output, or happened: false with then: retry or fail.',
    );
  }
  return { ...said, verdict: { kind: 'not-happened', then } };
}

function takeEvidence(state: RunState, body: JsonObject): Entry {
  const callId = textOf(body, 'callId') ?? '';
  const about = `call ${callId}`;
  const { attempt, result } = body;
  if (typeof attempt !== 'number' || !attemptResult(result)) {
    return refused(about, 'Evidence names a call, an attempt and a result.');
  }
  if (findCall(state, callId) !== undefined) return { type: 'evidence-received', callId, attempt, result };
  const late = `A late result of attempt ${attempt} of call ${callId} (${result.status}) came after the call was settled.`;
  return refused(about, late);
}

function refused(about: string, message: string): Entry {
  return { type: 'post-refused', about, failure: failureOf('decision-invalid', message, { evidence: 'none' }) };
}

function textOf(body: JsonObject, field: string): string | undefined {
  const value = body[field];
  return typeof value === 'string' ? value : undefined;
}

/** Those of the fields that are texts. */
function textsOf<Field extends string>(
  body: JsonObject,
  ...fields: readonly Field[]
): { readonly [Name in Field]?: string } {
  const texts: { [Name in Field]?: string } = {};
  for (const field of fields) {
    const text = textOf(body, field);
    if (text !== undefined) texts[field] = text;
  }
  return texts;
}

function personOf(body: JsonObject): { readonly person?: string } {
  const person = textOf(body, 'by');
  return person === undefined ? {} : { person };
}

/** The call that an approval asks about. */
export function callOfApproval(state: RunState, approvalId: string): CallState | undefined {
  return state.turn?.calls.find(({ phase }) => phase.kind === 'asking' && phase.approvalId === approvalId);
}
