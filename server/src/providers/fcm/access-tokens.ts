import type { Agent } from "undici";
import { runWithDeadline } from "../deadline.ts";
import { createAgent } from "./agent.ts";
import { mintAccessToken, type MintResult, type MintFailure } from "./mint.ts";
import type { ServiceAccount } from "./service-account.ts";

/** The service account and the endpoint that access tokens come from, and the clocks. */
export interface AccessTokensDeps {
  readonly credentials: ServiceAccount;
  readonly tokenUrl: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Certificate authorities in PEM, instead of Node's default ones. */
  readonly ca?: string | undefined;
}

/** An access token, or why there is none: `aborted` means that the signal aborted before there was a result. */
export type TokenResult =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "failed"; readonly outcome: MintFailure }
  | { readonly kind: "aborted" };

/** An access token, with times of the monotonic clock. */
interface CachedToken {
  readonly token: string;
  readonly requestedAt: number;
  readonly ttlMs: number;
}

/** The last failure, which is returned again for `waitMs`. */
interface CachedFailure {
  readonly result: Extract<MintResult, { readonly kind: "failed" }>;
  readonly failedAt: number;
  readonly waitMs: number;
}

const MINT_TIMEOUT_MS = 10_000;
const RENEWAL_MARGIN_MS = 5 * 60_000;
/**
 * The bounds of the time for which a failure is returned again. It doubles with each further failure, and is longer if
 * the endpoint asks for it.
 */
const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 60_000;

/** Keeps the access token that all sends share, and renews it before it expires. */
export class AccessTokens {
  readonly #deps: AccessTokensDeps;
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  #token: CachedToken | null = null;
  #pendingMint: Promise<MintResult> | null = null;
  #failure: CachedFailure | null = null;

  constructor(deps: AccessTokensDeps) {
    this.#deps = deps;
    this.#agent = createAgent(deps.ca);
  }

  /** Returns the token; concurrent callers share one request for it. */
  async get(signal: AbortSignal): Promise<TokenResult> {
    if (signal.aborted) return { kind: "aborted" };
    if (this.#token !== null) {
      const { token, requestedAt, ttlMs } = this.#token;
      const ageMs = this.#deps.elapsed() - requestedAt;
      if (ageMs >= ttlMs - Math.min(RENEWAL_MARGIN_MS, ttlMs / 2)) this.#renew();
      if (ageMs < ttlMs) return { kind: "token", token };
    }
    const result = await raceWithAbort(this.#mintShared(), signal);
    if (result === null) return { kind: "aborted" };
    if (result.kind === "failed") return { kind: "failed", outcome: result.outcome };
    return { kind: "token", token: result.token };
  }

  /** Drops a refused token, unless another one has replaced it. */
  drop(token: string): void {
    if (this.#token?.token === token) this.#token = null;
  }

  /** Aborts the current request, and starts no other one. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }

  /** Renews in the background, because the current token may still be valid. */
  #renew(): void {
    // A bug in Tocsin surfaces once the token has expired and a send waits for the next one.
    this.#mintShared().catch(() => {});
  }

  async #mintShared(): Promise<MintResult> {
    if (this.#pendingMint !== null) return this.#pendingMint;
    const cachedFailure = this.#failure === null ? null : this.#getCachedFailure(this.#failure);
    if (cachedFailure !== null) return cachedFailure;
    this.#pendingMint = this.#mint();
    try {
      return await this.#pendingMint;
    } finally {
      this.#pendingMint = null;
    }
  }

  async #mint(): Promise<MintResult> {
    const { elapsed } = this.#deps;
    const requestedAt = elapsed();
    const bounds = { signal: this.#closing.signal, timeoutMs: MINT_TIMEOUT_MS };
    const result = await runWithDeadline(bounds, (signal) =>
      mintAccessToken({ ...this.#deps, dispatcher: this.#agent }, signal),
    );
    if (result.kind === "failed") {
      this.#failure = {
        result,
        failedAt: elapsed(),
        waitMs: this.#computeWaitMs(result.outcome),
      };
    } else {
      const { token, ttlMs } = result;
      this.#token = { token, requestedAt, ttlMs };
      this.#failure = null;
    }
    return result;
  }

  #computeWaitMs(outcome: MintFailure): number {
    const lastWaitMs = this.#failure?.waitMs ?? WAIT_MIN_MS / 2;
    const requestedMs = outcome.kind === "retry" ? (outcome.afterMs ?? 0) : 0;
    return Math.max(Math.min(lastWaitMs * 2, WAIT_MAX_MS), requestedMs);
  }

  /** Returns the cached failure with its remaining wait; null after the wait. */
  #getCachedFailure({ result, failedAt, waitMs }: CachedFailure): MintResult | null {
    const ageMs = this.#deps.elapsed() - failedAt;
    if (ageMs >= waitMs) return null;
    const { outcome } = result;
    if (outcome.kind === "refused" || outcome.afterMs === null) return result;
    return { ...result, outcome: { ...outcome, afterMs: Math.max(0, outcome.afterMs - ageMs) } };
  }
}

/** Resolves with the result of a promise, or with null if the signal aborts first. The promise itself continues. */
async function raceWithAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const onAbort = (): void => resolve(null);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
