/** A call is performed under the contract that it is bound to, and a migration is made once (R39, R40). */
import { canonicalJson, type JsonValue } from '../../../src/util/json.ts';
import { migrateInput } from '../world/tools.ts';
import type { Evidence, RunStory } from './evidence.ts';

/** R40: whatever was replaced meanwhile, what was performed has the schemas and the effect that its call was bound to. */
export function* performedAsBound({ effects, startsOf }: Evidence): Iterable<string> {
  for (const effect of effects) {
    const starts = startsOf(effect.runId, effect.callId, effect.attempt);
    if (starts.length === 0 || starts.some(({ shape }) => shape === effect.shape)) continue;
    yield `The call ${effect.runId}/${effect.callId} (${effect.tool}) was performed under a contract of another shape than the one it was bound to.`;
  }
}

/** R39: a run goes from version to version without a step twice, and what becomes of a call's arguments is what the declared function gives, applied once. */
export function* migratedOnce({ stories }: Evidence): Iterable<string> {
  for (const story of stories) yield* migrationsOf(story);
}

function* migrationsOf({ runId, lines }: RunStory): Iterable<string> {
  const versions = new Map<string, number>();
  const inputs = new Map<string, JsonValue>();
  for (const { entry } of lines) {
    if (entry.type === 'run-accepted') {
      for (const { name, version } of entry.task.contracts) versions.set(name, version);
    }
    if (entry.type === 'call-bound') inputs.set(entry.call.callId, entry.call.input);
    if (entry.type === 'approval-answered' && entry.edited !== undefined) {
      inputs.set(entry.callId, entry.edited.input);
    }
    if (entry.type !== 'contract-migrated') continue;
    const { name, version } = entry.contract;
    if (versions.get(name) !== entry.fromVersion || version <= entry.fromVersion) {
      yield `The run ${runId} went from version ${entry.fromVersion} of ${name} to ${version}, and had version ${versions.get(name) ?? 0}.`;
    }
    versions.set(name, version);
    for (const { callId, input } of entry.calls ?? []) {
      const before = inputs.get(callId);
      const wanted = before === undefined ? undefined : canonicalJson(migrateInput(before));
      if (canonicalJson(input) !== wanted) {
        yield `The migration of ${runId}/${callId} gave ${canonicalJson(input)}, and ${wanted ?? 'nothing'} was due.`;
      }
      inputs.set(callId, input);
    }
  }
}
