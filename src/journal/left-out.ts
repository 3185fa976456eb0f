/**
 * What the entries of an append are stored without, and back: each is gone through once, in order, with what the append has said before it.
 *
 * L1 `restore` of what `leaveOut` gave, once through JSON text, is deeply equal to the entries.
 * L2 Left out are values that nearly every entry of a type has, what binding did not change of the model's words (`compact-calls.ts`), and the id of the call where it is
 *    that of the last call named before in the append.
 * L3 A call is named by each entry that has a `callId`, written or left out, and by `call-bound`, which always writes the id of its call. Nothing else names one: no entry
 *    without `callId`, and no id further inside an entry.
 * L4 Only fields that every entry of the type has are left out. So what is absent was left out, and what a later format leaves out besides stands in the texts of the formats
 *    before: the rules of today restore them all.
 */
import { expandBound, expandRefused, remainderOfBound, remainderOfRefused, WrittenCalls } from './compact-calls.ts';
import type { Entry, EntryType } from './entry.ts';
import { entryTypes, typesWithCall } from './entry-types.ts';

type Fields = Readonly<Record<string, unknown>>;
type MutableFields = Record<string, unknown>;

// The usual values. Changing one changes what is stored: it takes a new format version.
const firstAttempt = 1;
const noTimeMs = 0;
const callsTools = 'tool-calls';
const succeeded = 'succeeded';

/** What the entries of an append before this one have said. */
class Said {
  readonly words = new WrittenCalls();
  #callId: unknown;

  /** Names a call; undefined where it goes without saying. */
  leaveOut(callId: string): string | undefined {
    if (callId === this.#callId) return undefined;
    this.#callId = callId;
    return callId;
  }

  name(callId: unknown): void {
    this.#callId = callId;
  }

  restoreCall(entry: MutableFields): void {
    if (entry['callId'] !== undefined) this.#callId = entry['callId'];
    else if (this.#callId !== undefined) entry['callId'] = this.#callId;
  }
}

/** The entries with undefined, which JSON text leaves out, for what need not be written. */
export function leaveOut(entries: readonly Entry[]): readonly Fields[] {
  const said = new Said();
  return entries.map((entry) => fieldsOf(remainderOf(entry, said)));
}

/** An entry as its fields: the same object, which is not changed. */
function fieldsOf(entry: object): Fields {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every object has its fields by name; interfaces hide that from the compiler.
  return entry as Fields;
}

/** Type by type, since V8 copies objects of one form much faster than of any. */
function remainderOf(entry: Entry, said: Said): object {
  switch (entry.type) {
    case 'model-started':
      return { ...entry, attempt: unless(entry.attempt, firstAttempt) };
    case 'model-finished':
      said.words.read(entry.parts);
      return {
        ...entry,
        finishReason: unless(entry.finishReason, callsTools),
        tookMs: unless(entry.tookMs, noTimeMs),
      };
    case 'model-failed':
      return { ...entry, tookMs: unless(entry.tookMs, noTimeMs) };
    case 'call-bound':
      said.name(entry.call.callId);
      return { ...entry, call: remainderOfBound(entry.call, said.words.next()) };
    case 'call-refused':
      return { ...remainderOfRefused(entry, said.words.next()), callId: said.leaveOut(entry.callId) };
    case 'call-admitted':
      return {
        ...entry,
        callId: said.leaveOut(entry.callId),
        attempt: unless(entry.attempt, firstAttempt),
        waitedMs: unless(entry.waitedMs, noTimeMs),
      };
    case 'attempt-started':
      return {
        ...entry,
        callId: said.leaveOut(entry.callId),
        attempt: unless(entry.attempt, firstAttempt),
      };
    case 'attempt-finished':
      return {
        ...entry,
        callId: said.leaveOut(entry.callId),
        attempt: unless(entry.attempt, firstAttempt),
        tookMs: unless(entry.tookMs, noTimeMs),
      };
    case 'verify-finished':
      return { ...entry, callId: said.leaveOut(entry.callId), tookMs: unless(entry.tookMs, noTimeMs) };
    case 'call-settled':
      return { ...entry, callId: said.leaveOut(entry.callId), status: unless(entry.status, succeeded) };
    default:
      return 'callId' in entry ? { ...entry, callId: said.leaveOut(entry.callId) } : entry;
  }
}

function unless<T>(value: T, usual: T): T | undefined {
  return value === usual ? undefined : value;
}

/** Makes the entries of one append whole, in place, right after they were parsed: a resume does this for thousands. True when each is of a type that this release knows. */
export function restore(entries: readonly MutableFields[]): boolean {
  const said = new Said();
  let areKnown = true;
  // By index: in a process that has just started, where this is not compiled yet, an iterator costs as much as all that is done here.
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index];
    if (entry === undefined) continue;
    const restoreEntry = restorers.get(entry['type']);
    if (restoreEntry === undefined) areKnown = false;
    else restoreEntry(entry, said);
  }
  return areKnown;
}

type Restorer = (entry: MutableFields, said: Said) => void;

const asItIs: Restorer = () => {};
const restoreCall: Restorer = (entry, said) => said.restoreCall(entry);

const restorers: ReadonlyMap<unknown, Restorer> = new Map(
  Object.entries<Restorer>({
    ...Object.fromEntries(entryTypes.map((type) => [type, asItIs])),
    ...Object.fromEntries(typesWithCall.map((type) => [type, restoreCall])),
    ...({
      'model-started': (entry) => {
        entry['attempt'] ??= firstAttempt;
      },
      'model-finished': (entry, said) => {
        said.words.read(entry['parts']);
        entry['finishReason'] ??= callsTools;
        entry['tookMs'] ??= noTimeMs;
      },
      'model-failed': (entry) => {
        entry['tookMs'] ??= noTimeMs;
      },
      'call-bound': (entry, said) => {
        said.name(expandBound(entry['call'], said.words.next()));
      },
      'call-refused': (entry, said) => {
        expandRefused(entry, said.words.next());
        said.restoreCall(entry);
      },
      'call-admitted': (entry, said) => {
        said.restoreCall(entry);
        entry['attempt'] ??= firstAttempt;
        entry['waitedMs'] ??= noTimeMs;
      },
      'attempt-started': (entry, said) => {
        said.restoreCall(entry);
        entry['attempt'] ??= firstAttempt;
      },
      'attempt-finished': (entry, said) => {
        said.restoreCall(entry);
        entry['attempt'] ??= firstAttempt;
        entry['tookMs'] ??= noTimeMs;
      },
      'verify-finished': (entry, said) => {
        said.restoreCall(entry);
        entry['tookMs'] ??= noTimeMs;
      },
      'call-settled': (entry, said) => {
        said.restoreCall(entry);
        entry['status'] ??= succeeded;
      },
    } satisfies { readonly [Type in EntryType]?: Restorer }),
  }),
);
