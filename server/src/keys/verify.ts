import { RecentMap } from "#concurrency/recent-map.ts";
import type { Context } from "#context.ts";
import { hashToken } from "#token.ts";
import type { Dialect } from "@tocsin/sdk";
import { type ApiKey, isExpired, parseApiKey, type Principal } from "./api-key.ts";
import { parseDialectKey } from "./key-shape.ts";
import { LastUseRecorder } from "./last-use.ts";
import { findUnrevokedKey, type UnrevokedKey } from "./store/find-by-hash.ts";

/** Maximum number of cached keys. The least recently used key is evicted first. */
const CACHED_KEYS_MAX = 10_000;

/** Time after which a cached key is looked up again. */
const CACHE_TTL_MS = 60_000;
/** Time after which a cached key is looked up again while messages between nodes may be lost. */
const UNSYNCED_CACHE_TTL_MS = 1_000;

/** The connection that brings messages about keys that changed on other nodes. */
interface NodeConnection {
  /** False while messages between nodes may be lost. */
  readonly isListening: boolean;
}

interface CachedKey extends UnrevokedKey {
  /** Time of the monotonic clock, in milliseconds. */
  readonly checkedAt: number;
}

/**
 * Finds the principal of a key. Caches keys in use in memory, by hash. The code that changes a key calls `evictKey`
 * after its commit, so that the change takes effect on this node immediately. Other nodes learn of it by a message.
 */
export class KeyVerifier {
  readonly #context: Context;
  readonly #nodes: NodeConnection;
  readonly #lastUse: LastUseRecorder;
  /** Cached keys by hash. */
  readonly #cache = new RecentMap<string, CachedKey>(CACHED_KEYS_MAX);
  /** Lookups under way, by hash. */
  readonly #lookups = new Map<string, Promise<CachedKey | null>>();
  /** Number of evictions. A lookup that started before the latest one must not be cached. */
  #evictionCount = 0;

  constructor(context: Context, nodes: NodeConnection) {
    this.#context = context;
    this.#nodes = nodes;
    this.#lastUse = new LastUseRecorder(context);
  }

  /** Returns the principal of a valid UUID key, in any letter case; null for any other string. */
  readonly findPrincipal = async (key: string): Promise<Principal | null> => {
    const found = await this.#find(parseApiKey(key));
    return found === null ? null : found.principal;
  };

  /** Returns the principal, label and channel of a valid key of a dialect or a valid UUID key; null for any other string. */
  readonly findSender = (key: string, dialect: Dialect): Promise<UnrevokedKey | null> =>
    this.#find(parseDialectKey(key, dialect));

  /** Returns the team of a valid team key, in any letter case; null for any other string. */
  readonly findTeamId = async (key: string): Promise<string | null> => {
    const principal = await this.findPrincipal(key);
    return principal?.kind === "team" ? principal.teamId : null;
  };

  /** Evicts a key from the cache. */
  evictKey(keyId: string): void {
    this.#evict((principal) => principal.keyId === keyId);
  }

  /** Evicts the keys of a team from the cache. */
  evictTeam(teamId: string): void {
    this.#evict((principal) => principal.kind === "team" && principal.teamId === teamId);
  }

  /** Evicts the account keys of an account from the cache. */
  evictAccount(accountId: string): void {
    this.#evict((principal) => principal.kind === "account" && principal.accountId === accountId);
  }

  /** Empties the cache. */
  evictAll(): void {
    this.#evict(() => true);
  }

  /** Returns the time of the last use of a key, including a use that is not stored yet. */
  getLastUsedAt({ id, lastUsedAt }: Pick<ApiKey, "id" | "lastUsedAt">): number | null {
    return this.#lastUse.getLastUsedAt(id, lastUsedAt);
  }

  /** Writes the last uses of keys that are not stored yet. */
  async stop(): Promise<void> {
    await this.#lastUse.stop();
  }

  async #find(normalisedKey: string | null): Promise<CachedKey | null> {
    if (normalisedKey === null) return null;
    const hash = hashToken(normalisedKey);
    const cached = this.#cache.get(hash);
    const ttlMs = this.#nodes.isListening ? CACHE_TTL_MS : UNSYNCED_CACHE_TTL_MS;
    const isFresh = cached !== undefined && this.#context.elapsed() - cached.checkedAt < ttlMs;
    if (!isFresh) this.#cache.delete(hash);
    const found = isFresh ? cached : await this.#lookUp(hash);
    if (found === null || isExpired(found, this.#context.now())) return null;
    this.#lastUse.record(found.principal.keyId);
    return found;
  }

  /** Concurrent requests with the same key share one lookup. */
  #lookUp(hash: string): Promise<CachedKey | null> {
    const pending = this.#lookups.get(hash);
    if (pending !== undefined) return pending;
    const lookup = this.#load(hash).finally(() => {
      if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash);
    });
    this.#lookups.set(hash, lookup);
    return lookup;
  }

  async #load(hash: string): Promise<CachedKey | null> {
    const evictionCount = this.#evictionCount;
    const checkedAt = this.#context.elapsed();
    const apiKey = await findUnrevokedKey(this.#context, hash);
    if (apiKey === null) return null;
    const cached = { ...apiKey, checkedAt };
    if (evictionCount === this.#evictionCount) this.#cache.set(hash, cached);
    return cached;
  }

  #evict(matches: (principal: Principal) => boolean): void {
    this.#evictionCount += 1;
    this.#lookups.clear();
    for (const [hash, { principal }] of this.#cache) {
      if (matches(principal)) this.#cache.delete(hash);
    }
  }
}
