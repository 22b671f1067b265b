import type { KeyObject } from "node:crypto";
import { SignJWT } from "jose";

/** The key that provider tokens are signed with, and the clocks for their age. */
export interface ProviderTokenDeps {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  /** The wall clock, in milliseconds since the epoch. Sets a token's time of issue. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. Measures a token's age. */
  readonly elapsed: () => number;
}

interface SignedProviderToken {
  readonly authorization: Promise<string>;
  /** A time of the monotonic clock. */
  readonly mintedAt: number;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

/** Apple accepts a token for one hour (Apple, "Establishing a token-based connection to APNs"). */
const TOKEN_TTL_MS = 60 * 60 * 1000;
const RENEWAL_AGE_MS = 50 * 60 * 1000;
/** Apple answers `TooManyProviderTokenUpdates` if tokens are renewed more often than every 20 minutes (same page). */
const RENEWAL_INTERVAL_MIN_MS = 20 * 60 * 1000;

/**
 * Provides the signed token that all connections share. Renews it before it expires, but not more often than Apple
 * allows.
 */
export class ProviderToken {
  readonly #deps: ProviderTokenDeps;
  #token: SignedProviderToken | null = null;

  constructor(deps: ProviderTokenDeps) {
    this.#deps = deps;
  }

  /** Returns the `authorization` header; concurrent callers share one signature. */
  getAuthorization(): Promise<string> {
    return this.#getCurrent().authorization;
  }

  /**
   * Returns the header to send instead of a refused header: a newer one, or the same if its token is too young to be
   * replaced.
   */
  async renew(refused: string): Promise<string> {
    const current = this.#getCurrent();
    if ((await current.authorization) !== refused) return current.authorization;
    // The token is also too young if a concurrent caller with the same refused header has renewed it.
    return (this.getRenewalWaitMs() > 0 ? this.#getCurrent() : this.#mint()).authorization;
  }

  /** Returns the time until the token may be replaced. Never mints a token. */
  getRenewalWaitMs(): number {
    const token = this.#token;
    if (token === null) return 0;
    return Math.max(0, token.mintedAt + RENEWAL_INTERVAL_MIN_MS - this.#deps.elapsed());
  }

  #getCurrent(): SignedProviderToken {
    const token = this.#token;
    if (token === null) return this.#mint();
    const { now, elapsed } = this.#deps;
    // The monotonic clock stops while the machine sleeps, so the wall clock is checked too.
    const isExpired = now() - token.issuedAt >= TOKEN_TTL_MS;
    return !isExpired && elapsed() - token.mintedAt < RENEWAL_AGE_MS ? token : this.#mint();
  }

  #mint(): SignedProviderToken {
    const { now, elapsed } = this.#deps;
    const issuedAt = now();
    this.#token = { authorization: this.#sign(issuedAt), mintedAt: elapsed(), issuedAt };
    return this.#token;
  }

  async #sign(issuedAt: number): Promise<string> {
    const { key, keyId, teamId } = this.#deps;
    const jwt = await new SignJWT({ iss: teamId, iat: Math.floor(issuedAt / 1000) })
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .sign(key);
    return `bearer ${jwt}`;
  }
}
