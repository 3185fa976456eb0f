/**
 * Arguments that a person wrote instead of a model's, looked at before they are posted: whoever is told at once can correct them while the question
 * is still theirs. The driver checks them again, since its code may be another.
 */
import type { Call } from '../call/call.ts';
import { bindInput } from '../contract/bind.ts';
import type { Contract } from '../contract/contract.ts';
import type { AxleConfig } from '../facade/define-config.ts';
import type { Store } from '../journal/store.ts';
import { loadRun } from '../run/load-run.ts';
import { findCall } from '../run/state.ts';
import { isJsonObject, type JsonValue } from '../util/json.ts';
import type { Invocation } from './command.ts';

export interface Edit {
  readonly runId: string;
  readonly callId: string;
  readonly input: JsonValue;
}

/**
 * True when the contract of the call is known here and takes the arguments; false when only a driver can tell.
 * @throws AxleError `usage-invalid` for arguments that do not fit.
 */
export async function checkEdit({ place, usage }: Invocation, store: Store, edit: Edit): Promise<boolean> {
  const { runId, callId, input } = edit;
  if (!isJsonObject(input)) throw usage('--edit takes a JSON object: the arguments of a call have names.');
  const config = await place.knownConfig();
  const loaded = config === undefined ? undefined : await loadRun(store, runId);
  const call = loaded === undefined ? undefined : findCall(loaded.state, callId)?.call;
  const contract = call === undefined ? undefined : contractOf(config, call);
  if (call === undefined || contract === undefined) return false;
  const binding = bindInput(contract, input, { callId, toolCallId: call.toolCallId });
  if (binding.kind === 'refused') {
    throw usage(`--edit does not fit, and the question is still open: ${binding.failure.message}`);
  }
  return true;
}

/** A tool source (an MCP server) is not asked: it would have to be started. */
function contractOf(config: AxleConfig | undefined, { tool, toolVersion }: Call): Contract | undefined {
  return (config?.tools ?? []).find(
    (item): item is Contract => 'execute' in item && item.name === tool && item.version === toolVersion,
  );
}
