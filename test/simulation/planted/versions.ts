/** Contracts that change under runs. */
import { machine, evolveCall } from './places.ts';
import { bug, type PlantedBug } from './planted-bug.ts';

export const versions: readonly PlantedBug[] = [
  bug(
    'run goes on with a contract of another shape',
    'src/run/run-code.ts',
    'if (registered !== undefined) return changed(pin, registered);',
    "if (registered !== undefined) return { kind: 'found', contract: registered };",
  ),
  bug(
    'migration applied twice',
    'src/run/evolve-turn.ts',
    'const contracts = conversation.contracts.map((pin) => (pin.name === entry.contract.name ? entry.contract : pin));',
    'const { contracts } = conversation;',
  ),
  bug(
    'held runs forgotten when their code is back',
    'src/dispatch/in-process.ts',
    'for (const driver of this.#active.values()) driver?.codeChanged();\n    this.#lookAtHeldRuns(',
    'for (const driver of this.#active.values()) driver?.codeChanged();\n    if (tools.size > 1_000) this.#lookAtHeldRuns(',
  ),
  bug(
    '* held run that could not be looked at is forgotten',
    'src/dispatch/in-process.ts',
    'if (this.#heldInHand.has(runId)) this.#take(runId);',
    '',
  ),
  bug(
    'begun write goes on under another version',
    machine,
    'return attempts > 0 && call?.terms.effect !== ',
    'return attempts > 1_000 && call?.terms.effect !== ',
  ),
  bug(
    'answer counts for arguments that have migrated since',
    evolveCall,
    "...changedCall(before, call),\n    phase: { kind: 'bound' },",
    "...changedCall(before, call),\n    phase: before.phase.kind === 'attempting' ? { kind: 'bound' } : before.phase,",
  ),
  bug(
    '* back-off forgotten over a migration',
    evolveCall,
    "...(before.phase.kind === 'backing-off' ? { notBeforeMs: before.phase.dueAtMs } : {}),",
    '',
  ),
];
