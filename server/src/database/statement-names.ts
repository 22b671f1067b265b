import { hash } from "node:crypto";
import { RecentMap } from "#concurrency/recent-map.ts";

/** Most named statements. All connections share the names, and each prepares a statement when it first runs it. */
const NAMES_MAX = 250;
/** Uses before a statement gets a name: a rarer one is not worth a place. */
const SEEN_MIN = 3;
/** Most texts counted; many are never seen again. */
const TEXTS_MAX = 2_000;
/** Longest named statement: one with many values seldom comes again. */
const LENGTH_MAX = 6_000;
/**
 * Matches a selected star. A later version's migration may add columns, and PostgreSQL refuses a prepared statement
 * whose result changed.
 */
const STAR = /[\s,.(]\*/u;

/** Names frequent statements, so that PostgreSQL parses and plans them once per connection. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  /** Number of uses of each text. */
  readonly #seen = new RecentMap<string, number>(TEXTS_MAX);

  /** Returns the name of a statement; null if it has none. */
  nameOf(text: string): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= NAMES_MAX || text.length > LENGTH_MAX || STAR.test(text)) return null;
    if (!this.#isFrequent(text)) return null;
    const name = hash("sha256", text, "base64url").slice(0, 32);
    this.#names.set(text, name);
    return name;
  }

  #isFrequent(text: string): boolean {
    const seen = (this.#seen.get(text) ?? 0) + 1;
    if (seen < SEEN_MIN) this.#seen.set(text, seen);
    else this.#seen.delete(text);
    return seen >= SEEN_MIN;
  }
}
