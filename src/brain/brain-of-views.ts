/**
 * The way past the array of items. An adapter that keeps what it has made of a conversation needs what is new of it, and to know that the rest is as it was. An
 * array tells neither: it is copied for every model call and compared with the one before, which costs more with every turn.
 *
 * C1 Views of one log hold the same items at the same places, as far as both reach.
 * C2 Only the function that `brainOfViews` made is asked this way. A brain that wraps it, or takes its place on an object, is handed items like every other, and
 *    what it hands on bears no log: it may be another conversation.
 */
import type { TranscriptItem } from '../call/message.ts';
import type { Brain, BrainAnswer, BrainRequest } from './brain.ts';

/** A conversation up to a place. */
export interface ConversationView {
  /** Names the log that this is the beginning of (C1). Undefined where nothing is known of the items. */
  readonly log: symbol | undefined;
  readonly length: number;
  /** The items from `start` on, as an array that no log is changed with. */
  items(start?: number): readonly TranscriptItem[];
}

/** A request with a view in the place of the items. */
export interface ViewRequest extends Omit<BrainRequest, 'items'> {
  readonly view: ConversationView;
}

type GenerateFromView = (request: ViewRequest) => Promise<BrainAnswer>;

/** By the function that is asked with items. */
const fromViews = new WeakMap<Brain['generate'], GenerateFromView>();

/** Makes a brain that reads views, and views of their own where it is asked with items. */
export function brainOfViews(id: string, generate: GenerateFromView): Brain {
  const fromItems = ({ items, ...request }: BrainRequest): Promise<BrainAnswer> =>
    generate({ ...request, view: viewOf(items) });
  fromViews.set(fromItems, generate);
  return Object.freeze({ id, generate: fromItems });
}

/** Asks a brain in the way that it reads. */
export function generateFrom(brain: Brain, request: ViewRequest): Promise<BrainAnswer> {
  // oxlint-disable-next-line typescript/unbound-method -- A key: it is called on its brain below.
  const generate = fromViews.get(brain.generate);
  if (generate !== undefined) return generate(request);
  const { view, ...rest } = request;
  return brain.generate({ ...rest, items: view.items() });
}

/** Items of which nothing is known. All of them are this array itself: it is the view's own. */
export function viewOf(items: readonly TranscriptItem[]): ConversationView {
  return new ViewOfItems(items);
}

class ViewOfItems implements ConversationView {
  readonly log = undefined;
  readonly length: number;
  readonly #items: readonly TranscriptItem[];

  constructor(items: readonly TranscriptItem[]) {
    this.#items = items;
    this.length = items.length;
  }

  items(start = 0): readonly TranscriptItem[] {
    return start === 0 ? this.#items : this.#items.slice(start);
  }
}
