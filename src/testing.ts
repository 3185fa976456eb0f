/** The entry `axle/testing`: a scripted model and a clock that is driven by hand. */
export {
  scriptedBrain,
  type ScriptedBrainOptions,
  type ScriptedCall,
  type ScriptedTurn,
} from './testing/scripted-brain.ts';
export { createHandClock, type HandClock } from './testing/hand-clock.ts';
export { createMemoryStore } from './journal/memory/memory-store.ts';
