/** The id of a call: the step of the run in which the model asked for it, and its place in that turn, such as `3.0`. */

export function callIdOf(step: number, place: number): string {
  return `${step}.${place}`;
}

export function stepOfCall(callId: string): number {
  return Number.parseInt(callId, 10);
}

/** Its place among the calls of its turn, from 0. */
export function placeOfCall(callId: string): number {
  return Number(callId.slice(callId.indexOf('.') + 1));
}
