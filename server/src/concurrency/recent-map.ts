/** A map of limited size that evicts its least recently used entry. */
export class RecentMap<Key, Value> {
  readonly #limit: number;
  /** A Map keeps insertion order, so the most recently used key is the last one. */
  readonly #entries = new Map<Key, Value>();
  /** The keys that the next evictions delete, oldest first; null after an entry was used, replaced or deleted. */
  #evictable: MapIterator<Key> | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the value of a key, and marks its entry as used. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#remove(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Stores a value, and evicts the least recently used entry of a full map. */
  set(key: Key, value: Value): void {
    this.#remove(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit) this.#evictOldest();
  }

  delete(key: Key): void {
    this.#remove(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#evictable = null;
  }

  /** Iterates over the entries, least recently used first. Visited entries may be deleted meanwhile. */
  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]();
  }

  /**
   * Evicts the first key. Evictions in a row share an iterator: a new one would first pass by all deleted keys that V8
   * has not yet removed, often thousands.
   */
  #evictOldest(): void {
    this.#evictable ??= this.#entries.keys();
    const oldest = this.#evictable.next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }

  /** Deletes an entry. An iterator that is kept without being advanced would keep replaced tables of the map alive. */
  #remove(key: Key): void {
    if (this.#entries.delete(key)) this.#evictable = null;
  }
}
