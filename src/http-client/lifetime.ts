/** The time of one request, from the call to the last byte of the body: one signal for the caller's abort, for the total limit and for being closed. */
import type { Timers } from '../util/clock.ts';
import { HttpFaultError } from './http-fault.ts';

export interface Lifetime {
  readonly signal: AbortSignal;
  /** Rejects with a fault when `promise` takes longer than `timeoutMs`, or when the lifetime ends. */
  within<T>(promise: Promise<T>, limit: { readonly timeoutMs: number; readonly fault: HttpFaultError }): Promise<T>;
  /** Ends it: what is still open is dropped. */
  end(reason: Error): void;
  /** Releases timer and listeners; after a body was read to its end. */
  release(): void;
}

export function startLifetime(timers: Timers, totalTimeoutMs: number, outer: AbortSignal | undefined): Lifetime {
  const controller = new AbortController();
  const { signal } = controller;
  const onOuter = (): void => end(new HttpFaultError({ ...aborted, cause: outer?.reason }));
  const cancelTotal = timers.after(totalTimeoutMs, () =>
    end(timedOut(`the request took longer than ${totalTimeoutMs} ms in all`)),
  );
  const release = (): void => {
    cancelTotal();
    outer?.removeEventListener('abort', onOuter);
  };
  const end = (reason: Error): void => {
    release();
    controller.abort(reason);
  };
  outer?.addEventListener('abort', onOuter, { once: true });
  if (outer?.aborted === true) onOuter();
  return {
    signal,
    end,
    release,
    within: (promise, { timeoutMs, fault }) =>
      new Promise((resolve, reject) => {
        const finish = (settle: () => void): void => {
          cancel();
          signal.removeEventListener('abort', onAbort);
          settle();
        };
        const onAbort = (): void => finish(() => reject(reasonOf(signal)));
        const cancel = timers.after(timeoutMs, () => finish(() => reject(fault)));
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) onAbort();
        promise.then(
          (value) => finish(() => resolve(value)),
          (error: unknown) => finish(() => reject(error instanceof Error ? error : new Error(String(error)))),
        );
      }),
  };
}

/** Why a lifetime ended. */
export function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('aborted');
}

const aborted = { code: 'aborted', class: 'retryable', effect: 'unknown', what: 'it was aborted.' } as const;

/** A time limit; whether anything was sent is added by whoever knows. */
export function timedOut(what: string): HttpFaultError {
  return new HttpFaultError({ code: 'tool-timed-out', class: 'retryable', effect: 'unknown', what: `${what}.` });
}
