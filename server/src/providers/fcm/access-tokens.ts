import type { Agent } from "undici";
import { withDeadline } from "../deadline.ts";
import { createAgent } from "./agent.ts";
import { mint } from "./mint.ts";
import type { Minting, MintFailure } from "./mint.ts";
import type { ServiceAccount } from "./service-account.ts";

export interface AccessTokenSettings {
  readonly credentials: ServiceAccount;
  readonly tokenUrl: string;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Certificate authorities in PEM, instead of Node's default ones. */
  readonly ca?: string | undefined;
}

/** `given up` if the signal fired before there was a token. */
export type TokenResult =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "failed"; readonly outcome: MintFailure }
  | { readonly kind: "given up" };

/** A token with times of the monotonic clock. */
interface CachedToken {
  readonly token: string;
  readonly requestedAt: number;
  readonly lifetimeMs: number;
}

interface MintingFailure {
  readonly minting: Extract<Minting, { readonly kind: "failed" }>;
  readonly failedAt: number;
  readonly waitMs: number;
}

const MINT_TIMEOUT_MS = 10_000;
const RENEWAL_MS = 5 * 60_000;
/** How long a failure is returned again without another request. The time doubles with each further failure. */
const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 60_000;

/** Keeps the access token that all sends share, and renews it before it expires. */
export class AccessTokens {
  readonly #settings: AccessTokenSettings;
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  #token: CachedToken | null = null;
  #minting: Promise<Minting> | null = null;
  #failure: MintingFailure | null = null;

  constructor(settings: AccessTokenSettings) {
    this.#settings = settings;
    this.#agent = createAgent(settings.ca);
  }

  /** Returns the token; concurrent callers share one request for it. */
  async current(signal: AbortSignal): Promise<TokenResult> {
    if (signal.aborted) return { kind: "given up" };
    if (this.#token !== null) {
      const { token, requestedAt, lifetimeMs } = this.#token;
      const age = this.#settings.elapsed() - requestedAt;
      if (age >= lifetimeMs - Math.min(RENEWAL_MS, lifetimeMs / 2)) this.#renew();
      if (age < lifetimeMs) return { kind: "token", token };
    }
    const minting = await orAborted(this.#mintOnce(), signal);
    if (minting === null) return { kind: "given up" };
    if (minting.kind === "failed") return { kind: "failed", outcome: minting.outcome };
    return { kind: "token", token: minting.token };
  }

  /** Forgets a refused token, unless another one has replaced it. */
  drop(token: string): void {
    if (this.#token?.token === token) this.#token = null;
  }

  /** Aborts the current request, and starts no other one. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }

  /** Renews in the background, because the current token is still valid. */
  #renew(): void {
    // A bug in Tocsin surfaces once the token has expired and a send waits for the next one.
    this.#mintOnce().catch(() => {});
  }

  async #mintOnce(): Promise<Minting> {
    if (this.#minting !== null) return this.#minting;
    const cachedFailure = this.#failure === null ? null : this.#repeatFailure(this.#failure);
    if (cachedFailure !== null) return cachedFailure;
    this.#minting = this.#mint();
    try {
      return await this.#minting;
    } finally {
      this.#minting = null;
    }
  }

  async #mint(): Promise<Minting> {
    const { elapsed } = this.#settings;
    const requestedAt = elapsed();
    const bounds = { signal: this.#closing.signal, limitMs: MINT_TIMEOUT_MS };
    const minting = await withDeadline(bounds, (signal) =>
      mint({ ...this.#settings, dispatcher: this.#agent }, signal),
    );
    if (minting.kind === "failed") {
      this.#failure = { minting, failedAt: elapsed(), waitMs: this.#nextWait(minting.outcome) };
    } else {
      const { token, lifetimeMs } = minting;
      this.#token = { token, requestedAt, lifetimeMs };
      this.#failure = null;
    }
    return minting;
  }

  #nextWait(outcome: MintFailure): number {
    const lastWaitMs = this.#failure?.waitMs ?? WAIT_MIN_MS / 2;
    const requestedMs = outcome.kind === "retry" ? (outcome.afterMs ?? 0) : 0;
    return Math.max(Math.min(lastWaitMs * 2, WAIT_MAX_MS), requestedMs);
  }

  /** Returns the last failure with the rest of its wait; null after the wait. */
  #repeatFailure({ minting, failedAt, waitMs }: MintingFailure): Minting | null {
    const age = this.#settings.elapsed() - failedAt;
    if (age >= waitMs) return null;
    const { outcome } = minting;
    if (outcome.kind === "refused" || outcome.afterMs === null) return minting;
    return { ...minting, outcome: { ...outcome, afterMs: Math.max(0, outcome.afterMs - age) } };
  }
}

/** Resolves with null if the signal fires first. The promise itself continues. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const giveUp = (): void => resolve(null);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
