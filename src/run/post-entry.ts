/**
 * From what others posted to the entry that says so. An answer that cannot be used becomes `post-refused`, in words; nothing is dropped. (R17)
 *
 * A1 An answer counts only for the open question and the exact arguments it was given for, before it expires. (R15, L8)
 * A2 A doubt is resolved once; evidence and answers that come later change nothing that is recorded. (R14)
 */
import type { AttemptResult, Failure } from '../call/outcome.ts';
import { bindInput } from '../contract/bind.ts';
import type { Entry } from '../journal/entry.ts';
import type { PostedItem } from '../journal/store.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import type { RunCode } from './run-code.ts';
import { type CallState, findCall, type RunState } from './state.ts';

/** What a posted item becomes. `freesKey` lets somebody else answer after an answer that could not be used. */
export interface TakenPost {
  readonly entry: Entry;
  readonly freesKey: boolean;
}

export function takePost(state: RunState, post: PostedItem, code: RunCode): TakenPost {
  const body = isJsonObject(post.body) ? post.body : {};
  switch (post.kind) {
    case 'cancel':
      return {
        freesKey: false,
        entry: { type: 'cancel-requested', reason: textOf(body, 'reason') ?? 'cancelled', ...by(body) },
      };
    case 'message':
      if (state.task?.kind !== 'agent') return refused('message', 'Only a run of an agent takes messages.');
      return { freesKey: false, entry: { type: 'message-received', text: textOf(body, 'text') ?? '' } };
    case 'approval':
      return takeApproval(state, body, code);
    case 'resolve':
      return takeResolution(state, body);
    case 'evidence':
      return takeEvidence(state, body);
  }
}

function takeApproval(state: RunState, body: JsonObject, code: RunCode): TakenPost {
  const approvalId = textOf(body, 'approvalId') ?? '';
  const callState = callOfApproval(state, approvalId);
  const call = callState?.call;
  if (callState?.phase.kind !== 'asking' || call === undefined)
    return refused(`approval ${approvalId}`, `The approval ${approvalId} is not open.`);
  if (callState.phase.expiresAtMs <= state.nowMs)
    return refused(`approval ${approvalId}`, `The approval ${approvalId} has expired.`);
  const argsHash = textOf(body, 'argsHash');
  if (argsHash !== undefined && argsHash !== call.argsHash) {
    return refused(
      `approval ${approvalId}`,
      `The answer was given for other arguments than those of call ${call.callId}.`,
    );
  }
  const verdict = body['decision'];
  if (verdict !== 'approve' && verdict !== 'deny')
    return refused(`approval ${approvalId}`, 'An answer is approve or deny.');
  const note = textOf(body, 'note');
  const entry = {
    type: 'approval-answered',
    approvalId,
    callId: call.callId,
    verdict,
    ...(call.argsHash === undefined ? {} : { argsHash: call.argsHash }),
    ...(note === undefined ? {} : { note }),
    ...by(body),
  } as const;
  const edit = body['edit'];
  if (edit === undefined || verdict === 'deny') return { freesKey: false, entry };
  const contract = code.contracts.get(call.tool);
  if (contract === undefined)
    return refused(`approval ${approvalId}`, `The tool ${call.tool} is not here to check the edited arguments.`);
  const edited = bindInput(contract, edit, { callId: call.callId, toolCallId: call.toolCallId });
  return edited.kind === 'bound'
    ? { freesKey: false, entry: { ...entry, edited: edited.call } }
    : refused(`approval ${approvalId}`, edited.failure.message);
}

function takeResolution(state: RunState, body: JsonObject): TakenPost {
  const callId = textOf(body, 'callId') ?? '';
  const callState = findCall(state, callId);
  if (callState?.phase.kind !== 'doubtful') return refused(`call ${callId}`, `The call ${callId} is not in doubt.`);
  const note = textOf(body, 'note');
  const rest = { callId, by: 'person', ...(note === undefined ? {} : { note }) } as const;
  if (body['happened'] === true) {
    return {
      freesKey: false,
      entry: { type: 'call-resolved', verdict: { kind: 'happened', output: body['output'] ?? null }, ...rest },
    };
  }
  const then = body['then'] ?? 'fail';
  if (body['happened'] !== false || (then !== 'retry' && then !== 'fail'))
    return refused(
      `call ${callId}`,
      'A resolution says happened: true with an output, or happened: false with then: retry or fail.',
    );
  return { freesKey: false, entry: { type: 'call-resolved', verdict: { kind: 'not-happened', then }, ...rest } };
}

function takeEvidence(state: RunState, body: JsonObject): TakenPost {
  const callId = textOf(body, 'callId') ?? '';
  const { attempt } = body;
  const result = attemptResultOf(body['result']);
  if (typeof attempt !== 'number' || result === undefined)
    return refused(`call ${callId}`, 'Evidence names a call, an attempt and a result.');
  if (findCall(state, callId) === undefined) {
    return refused(
      `call ${callId}`,
      `A late result of attempt ${attempt} of call ${callId} (${result.status}) came after the call was settled.`,
    );
  }
  return { freesKey: false, entry: { type: 'evidence-received', callId, attempt, result } };
}

function attemptResultOf(value: JsonValue | undefined): AttemptResult | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value['status'] === 'succeeded') return { status: 'succeeded', output: value['output'] ?? null };
  const failure = failureOf(value['failure']);
  return value['status'] === 'failed' && failure !== undefined ? { status: 'failed', failure } : undefined;
}

function failureOf(value: JsonValue | undefined): Failure | undefined {
  if (!isJsonObject(value)) return undefined;
  const { code, message, evidence } = value;
  const errorClass = value['class'];
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  if (evidence !== 'none' && evidence !== 'possible' && evidence !== 'unknown') return undefined;
  if (errorClass !== 'retryable' && errorClass !== 'recoverable' && errorClass !== 'fatal') return undefined;
  return { code, message, evidence, class: errorClass };
}

function refused(about: string, message: string): TakenPost {
  return {
    freesKey: true,
    entry: {
      type: 'post-refused',
      about,
      failure: { code: 'decision-invalid', class: 'fatal', message, evidence: 'none' },
    },
  };
}

function textOf(body: JsonObject, field: string): string | undefined {
  const value = body[field];
  return typeof value === 'string' ? value : undefined;
}

function by(body: JsonObject): { readonly by?: string } {
  const value = textOf(body, 'by');
  return value === undefined ? {} : { by: value };
}

/** The call that an approval asks about. */
export function callOfApproval(state: RunState, approvalId: string): CallState | undefined {
  return state.turn?.calls.find(({ phase }) => phase.kind === 'asking' && phase.approvalId === approvalId);
}
