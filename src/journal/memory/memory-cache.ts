/** Kept results in memory. Kept as text, so that what is got is never the object that was put. */
import type { JsonValue } from '../../util/json.ts';
import { cacheLimits, type KeptResult, type ResultCache } from '../result-cache.ts';

type Stored = Omit<KeptResult, 'output'> & { readonly text: string };

/** A cache that lives as long as the process. */
export function createMemoryCache(): ResultCache {
  return new MemoryCache();
}

class MemoryCache implements ResultCache {
  /** In the order in which they were put. */
  readonly #kept = new Map<string, Stored>();
  readonly #clearedAtMs = new Map<string, number>();
  #allClearedAtMs = -Infinity;
  #length = 0;

  async get(key: string): Promise<KeptResult | undefined> {
    const stored = this.#kept.get(key);
    if (stored === undefined) return undefined;
    const { text, ...rest } = stored;
    return { ...rest, output: parse(text) };
  }

  async put({ output, ...rest }: KeptResult): Promise<void> {
    const clearedAtMs = Math.max(this.#allClearedAtMs, this.#clearedAtMs.get(rest.tool) ?? -Infinity);
    const text = JSON.stringify(output);
    if (rest.storedAtMs <= clearedAtMs || text.length > cacheLimits.resultLength) return;
    this.#drop(rest.key);
    this.#kept.set(rest.key, { ...rest, text });
    this.#length += text.length;
    if (this.#isFull()) this.#evict((stored) => stored.expiresAtMs <= rest.storedAtMs);
    this.#evict(() => this.#isFull());
  }

  async clear({ tool, atMs }: { readonly tool?: string; readonly atMs: number }): Promise<number> {
    if (tool === undefined) this.#allClearedAtMs = Math.max(this.#allClearedAtMs, atMs);
    else this.#clearedAtMs.set(tool, atMs);
    return this.#evict((stored) => tool === undefined || stored.tool === tool);
  }

  #isFull(): boolean {
    return this.#kept.size > cacheLimits.entries || this.#length > cacheLimits.length;
  }

  #evict(isGone: (stored: Stored) => boolean): number {
    const before = this.#kept.size;
    for (const [key, stored] of this.#kept) if (isGone(stored)) this.#drop(key);
    return before - this.#kept.size;
  }

  #drop(key: string): void {
    this.#length -= this.#kept.get(key)?.text.length ?? 0;
    this.#kept.delete(key);
  }
}

function parse(text: string): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse returns is a JsonValue by definition.
  return JSON.parse(text) as JsonValue;
}
