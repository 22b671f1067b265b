import { RecentMap } from "#concurrency/recent-map.ts";
import type { Context } from "#context.ts";
import { hashToken } from "#token.ts";
import { type ApiKey, isExpired, parseApiKey, type Principal } from "./api-key.ts";
import { LastUse } from "./last-use.ts";
import { findPrincipal } from "./store/use.ts";

/** Keys kept in memory; the one unused for the longest goes first. */
const KEYS_MAX = 10_000;

/** Time after which a kept key is looked up again, whatever was published meanwhile; … */
const RECHECK_MS = 60_000;
/** … and while messages of other nodes may be lost. */
const RECHECK_UNHEARD_MS = 1_000;

/** The other nodes, which publish changes of keys. */
interface OtherNodes {
  /** False while their messages may be lost. */
  readonly isListening: boolean;
}

interface CachedKey {
  readonly principal: Principal;
  readonly expiresAt: number | null;
  /** By the monotonic clock. */
  readonly checkedAt: number;
}

/**
 * Finds the principal of a key: keys in use are kept in memory, by their hashes alone. A change of a key calls `forget`
 * after its commit, so that it holds on this node at once; the other nodes get a message.
 */
export class KeyVerifier {
  readonly #context: Context;
  readonly #nodes: OtherNodes;
  readonly #lastUse: LastUse;
  /** Kept keys by hash. */
  readonly #known = new RecentMap<string, CachedKey>(KEYS_MAX);
  readonly #lookups = new Map<string, Promise<CachedKey | null>>();
  /** Number of calls that forgot something: a look-up begun before the last one must not be kept. */
  #forgotten = 0;

  constructor(context: Context, nodes: OtherNodes) {
    this.#context = context;
    this.#nodes = nodes;
    this.#lastUse = new LastUse(context);
  }

  /** Returns the principal of a key in any letter case that is known, not expired and not revoked. */
  readonly find = async (key: string): Promise<Principal | null> => {
    const form = parseApiKey(key);
    if (form === null) return null;
    const hash = hashToken(form);
    const known = this.#recall(hash) ?? (await this.#lookUp(hash));
    if (known === null || isExpired(known, this.#context.now())) return null;
    this.#lastUse.note(known.principal.keyId);
    return known.principal;
  };

  /** Returns the team of a team key in any letter case; null for every other text. */
  readonly findTeam = async (key: string): Promise<string | null> => {
    const principal = await this.find(key);
    return principal?.kind === "team" ? principal.teamId : null;
  };

  /** Makes the next use of a key look it up again. */
  forget(keyId: string): void {
    this.#drop((principal) => principal.keyId === keyId);
  }

  /** Makes the next use of each of a team's keys look it up again. */
  forgetTeam(teamId: string): void {
    this.#drop((principal) => principal.kind === "team" && principal.teamId === teamId);
  }

  /** Makes the next use of each of an account's own keys look it up again. */
  forgetAccount(accountId: string): void {
    this.#drop((principal) => principal.kind === "account" && principal.accountId === accountId);
  }

  /** Makes the next use of every key look it up again. */
  forgetAll(): void {
    this.#drop(() => true);
  }

  /** Returns when a key was last used, by the stored use and the one that this process is about to store. */
  lastUseOf({ id, lastUsedAt }: Pick<ApiKey, "id" | "lastUsedAt">): number | null {
    return this.#lastUse.latest(id, lastUsedAt);
  }

  /** Writes the last uses of keys. */
  async stop(): Promise<void> {
    await this.#lastUse.write();
  }

  #recall(hash: string): CachedKey | null {
    const known = this.#known.get(hash);
    if (known === undefined) return null;
    const ageMs = this.#context.elapsed() - known.checkedAt;
    const recheckMs = this.#nodes.isListening ? RECHECK_MS : RECHECK_UNHEARD_MS;
    if (ageMs < recheckMs) return known;
    this.#known.delete(hash);
    return null;
  }

  /** Concurrent requests with the same key share one look-up. */
  #lookUp(hash: string): Promise<CachedKey | null> {
    const begun = this.#lookups.get(hash);
    if (begun !== undefined) return begun;
    const lookup = this.#read(hash).finally(() => {
      if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash);
    });
    this.#lookups.set(hash, lookup);
    return lookup;
  }

  async #read(hash: string): Promise<CachedKey | null> {
    const forgotten = this.#forgotten;
    const checkedAt = this.#context.elapsed();
    const found = await findPrincipal(this.#context, hash);
    if (found === null) return null;
    const known = { ...found, checkedAt };
    if (forgotten === this.#forgotten) this.#known.set(hash, known);
    return known;
  }

  #drop(isMeant: (principal: Principal) => boolean): void {
    this.#forgotten += 1;
    this.#lookups.clear();
    for (const [hash, { principal }] of this.#known) {
      if (isMeant(principal)) this.#known.delete(hash);
    }
  }
}
