/** `axle.upstreams`: what people see of upstreams, and what they can ask of their breakers. */
import type { UpstreamControl, UpstreamView } from '../execute/upstreams/upstreams.ts';
import type { UpstreamAction } from '../journal/store.ts';
import { defined } from '../util/defined.ts';

/** Who asks, and why: both are kept with the change. */
export interface UpstreamWord {
  readonly by?: string;
  readonly reason?: string;
}

export interface UpstreamOrders {
  /** All that tools and options name, in the order in which they were declared. */
  list(): Promise<readonly UpstreamView[]>;
  /** Undefined for a name that nobody declared. */
  get(name: string): Promise<UpstreamView | undefined>;
  /** No call goes to it until somebody closes its breaker. Durable when it resolves. @throws AxleError `upstream-unknown` */
  open(name: string, word?: UpstreamWord): Promise<UpstreamView>;
  /** Calls go to it again, and its breaker goes on by itself. Durable when it resolves. @throws AxleError `upstream-unknown` */
  close(name: string, word?: UpstreamWord): Promise<UpstreamView>;
  /** The same, and what it asked for (`Retry-After`) is forgotten too. Durable when it resolves. @throws AxleError `upstream-unknown` */
  reset(name: string, word?: UpstreamWord): Promise<UpstreamView>;
}

export function upstreamOrders(control: UpstreamControl): UpstreamOrders {
  const order =
    (action: UpstreamAction) =>
    (name: string, { by, reason }: UpstreamWord = {}): Promise<UpstreamView> =>
      control.order({ name, action, ...defined({ by, reason }) });
  return {
    list: () => control.list(),
    get: async (name) => (await control.list()).find((view) => view.name === name),
    open: order('open'),
    close: order('close'),
    reset: order('reset'),
  };
}
