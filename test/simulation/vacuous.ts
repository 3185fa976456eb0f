/** What a pass must have seen to be one. (R45) */
import type { Tally } from './schedule.ts';

/** Each of these for every 100 crash schedules, at least. All of them come out several times higher. */
const perHundred = {
  crashes: 100,
  effects: 200,
  inDoubt: 10,
  approvals: 30,
  authorizations: 4,
  claims: 100,
  verifications: 5,
  evidence: 1,
  retries: 10,
  cancels: 2,
  admissions: 40,
  queueWaits: 15,
  breakersOpened: 3,
  standIns: 1,
  cached: 1,
  undone: 1,
  migrations: 2,
  holds: 2,
  powerCutsThatLost: 2,
} as const;
const minEffectKinds = 5;
/** Crash schedules for each second; a slow machine manages several times as many. */
const minSchedulesPerSecond = 40;

/** In words, what there was too little of. */
export function tooLittle(
  tally: Tally,
  run: { readonly repeated: number; readonly seconds: number },
): readonly string[] {
  const missing: string[] = [];
  const need = (name: string, seen: number, least: number): void => {
    if (seen < least) missing.push(`${name}: ${seen}, at least ${least}`);
  };
  need('crash schedules', tally.schedules, Math.min(run.seconds, 10) * minSchedulesPerSecond);
  need('kinds of effect', tally.effectKinds.length, minEffectKinds);
  need('schedules run twice', run.repeated, 1);
  // Rare things need a while.
  if (tally.schedules < 400) return missing;
  for (const [name, least] of Object.entries(perHundred)) {
    // The names are those of the tally's counts.
    const seen = tally[name as keyof typeof perHundred];
    need(name, seen, Math.floor((tally.schedules / 100) * least));
  }
  return missing;
}
