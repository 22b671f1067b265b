import { hash } from "node:crypto";
import { RecentMap } from "#concurrency/recent-map.ts";

/**
 * Maximum number of named statements. All connections share the names, and each connection prepares a statement when
 * it first runs the statement.
 */
const NAMES_MAX = 250;
/** Number of uses after which a statement gets a name. A rarer statement is not worth a name. */
const USES_MIN = 3;
/** Maximum number of statements whose uses are counted. Many statements are never used again. */
const COUNTED_TEXTS_MAX = 2_000;
/** Longest statement that gets a name, in characters. A longer one has many values and is rarely repeated. */
const CHARACTERS_MAX = 8_000;
/** Length of a name: 192 bits of a hash, so that no two statements get the same name. */
const NAME_CHARACTERS = 32;
/**
 * Matches a selected star. A later version's migration may add columns, and PostgreSQL refuses a prepared statement
 * whose result changed.
 */
const STAR_PATTERN = /[\s,.(]\*/u;

/** Names frequent statements, so that PostgreSQL parses and plans them once per connection. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  /** Number of uses of each statement. */
  readonly #useCounts = new RecentMap<string, number>(COUNTED_TEXTS_MAX);

  /** Counts a use of a statement, and returns the name of the statement; null if it has none. */
  getName(text: string): string | null {
    const existing = this.#names.get(text);
    if (existing !== undefined) return existing;
    if (this.#names.size >= NAMES_MAX || text.length > CHARACTERS_MAX || STAR_PATTERN.test(text))
      return null;
    if (!this.#countUse(text)) return null;
    const name = hash("sha256", text, "base64url").slice(0, NAME_CHARACTERS);
    this.#names.set(text, name);
    return name;
  }

  /** Counts a use of a statement without a name, and returns whether the uses are now enough for a name. */
  #countUse(text: string): boolean {
    const useCount = (this.#useCounts.get(text) ?? 0) + 1;
    if (useCount < USES_MIN) this.#useCounts.set(text, useCount);
    else this.#useCounts.delete(text);
    return useCount >= USES_MIN;
  }
}
