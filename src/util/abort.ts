/**
 * A wish that work ends, as the code that carries the work hears it. The platform's signal is made only for those who take one (a model, a tool that looks): making
 * one and listening to it costs more than all of what is done here, and nearly every piece of work ends without anyone having wished for it.
 *
 * A1 It is wished once: the first reason stays. Whoever asks for the signal later finds it aborted.
 * A2 Those who listen here hear it before those who listen to the signal, in the order in which they came.
 */
export class Abort {
  #reason: Error | undefined;
  #controller: AbortController | undefined;
  readonly #listeners: (() => void)[] = [];

  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  /** The same as a signal, for whoever is outside. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
    this.#controller?.abort(reason);
  }

  /** Calls back once, when it is aborted; not when it was before. */
  onAbort(listener: () => void): void {
    this.#listeners.push(listener);
  }

  stopListening(listener: () => void): void {
    const place = this.#listeners.indexOf(listener);
    if (place >= 0) this.#listeners.splice(place, 1);
  }
}
