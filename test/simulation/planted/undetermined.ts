/** Bugs after which a journal is not what its states lead to: a replay comes to something else. */
import { bug, type PlantedBug } from './planted-bug.ts';

export const undetermined: readonly PlantedBug[] = [
  {
    name: 'how long a question stays open depends on what was asked before',
    patches: [
      {
        file: 'src/run/pipeline.ts',
        find: 'state.nowMs + Math.ceil(decision.expiresAfterMs),',
        replace: 'state.nowMs + Math.ceil(decision.expiresAfterMs) + (askedBefore += 1),',
      },
      {
        file: 'src/run/pipeline.ts',
        find: 'const deniedBeforeDecision:',
        replace: 'let askedBefore = 0;\nconst deniedBeforeDecision:',
      },
    ],
  },
  {
    name: 'what the model saw is hashed with what stands in no entry',
    patches: [
      {
        file: 'src/run/context-hash.ts',
        find: 'sha256(instructions).slice',
        replace: 'sha256(`${instructions}${(hashed += 1)}`).slice',
      },
      {
        file: 'src/run/context-hash.ts',
        find: 'const contextHashLength = 22;',
        replace: 'const contextHashLength = 22;\nlet hashed = 0;',
      },
    ],
  },
  bug(
    'a driver writes down a timer that nobody waited for',
    'src/run/run-driver.ts',
    "if (next.kind !== 'rest') return this.#ended();",
    "if (next.kind !== 'rest') return this.#ended();\n      if (next.work.length > 0 && this.#inHand.size === 0 && next.work.every((work) => !this.#inHand.has(work))) this.#record({ type: 'timer-fired' });",
  ),
];
