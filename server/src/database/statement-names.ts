import { hash } from "node:crypto";

/** Shared by all connections, each of which prepares a statement when it is first asked for it. */
const NAMES_MAX = 250;
/** What comes less often is not worth a place. */
const SEEN_MIN = 3;
/** Texts that were seen, and maybe never again. */
const TEXTS_MAX = 2_000;
/** A statement with very many values seldom comes again. */
const LENGTH_MAX = 6_000;
/** A later version's migration may add columns, and PostgreSQL refuses a prepared statement whose answer changed. */
const STAR = /[\s,.(]\*/u;

/** Names the statements that come again and again, so that PostgreSQL reads and plans them once for each connection. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  /** How often each text was seen, the one seen last at the end. */
  readonly #seen = new Map<string, number>();

  /** Returns the name of a statement; null where it has none. */
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
    this.#seen.delete(text);
    if (seen >= SEEN_MIN) return true;
    this.#seen.set(text, seen);
    if (this.#seen.size > TEXTS_MAX) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    return false;
  }
}
