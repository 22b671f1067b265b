import type { KeyObject } from "node:crypto";
import { SignJWT } from "jose";

export interface TokenIdentity {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  /** Milliseconds since the epoch: when a token says that it was issued. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds: how old a token is. */
  readonly elapsed: () => number;
}

interface SignedProviderToken {
  readonly authorization: Promise<string>;
  /** By the monotonic clock. */
  readonly mintedAt: number;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

/** Apple accepts a token for one hour (Apple, "Establishing a token-based connection to APNs"). */
const LIFE_MS = 60 * 60 * 1000;
const RENEWAL_AGE_MS = 50 * 60 * 1000;
/** Apple answers `TooManyProviderTokenUpdates` to renewals more often than every 20 minutes (ibid.). */
const RENEWAL_FLOOR_MS = 20 * 60 * 1000;

/** Holds the signed credential that all connections share, and renews it neither too late nor too often. */
export class ProviderToken {
  readonly #identity: TokenIdentity;
  #held: SignedProviderToken | null = null;

  constructor(identity: TokenIdentity) {
    this.#identity = identity;
  }

  /** Returns the `authorization` header; concurrent callers share one signature. */
  async authorization(): Promise<string> {
    return this.#current().authorization;
  }

  /** Returns the header to send in place of a refused one: a newer one, or the same if it is too young to be replaced. */
  async renew(refused: string): Promise<string> {
    const current = this.#current();
    if ((await current.authorization) !== refused) return current.authorization;
    // It is also too young if a concurrent caller with the same refused header has renewed it.
    return (this.msToRenewal() > 0 ? this.#current() : this.#mint()).authorization;
  }

  /** Returns how long the token may not be replaced yet; never mints one. */
  msToRenewal(): number {
    const held = this.#held;
    if (held === null) return 0;
    return Math.max(0, held.mintedAt + RENEWAL_FLOOR_MS - this.#identity.elapsed());
  }

  #current(): SignedProviderToken {
    const held = this.#held;
    if (held === null) return this.#mint();
    const { now, elapsed } = this.#identity;
    // A machine that slept brings back a monotonic clock that slept as well.
    const isOver = now() - held.issuedAt >= LIFE_MS;
    return !isOver && elapsed() - held.mintedAt < RENEWAL_AGE_MS ? held : this.#mint();
  }

  #mint(): SignedProviderToken {
    const { now, elapsed } = this.#identity;
    const issuedAt = now();
    this.#held = { authorization: this.#sign(issuedAt), mintedAt: elapsed(), issuedAt };
    return this.#held;
  }

  async #sign(issuedAt: number): Promise<string> {
    const { key, keyId, teamId } = this.#identity;
    const token = await new SignJWT({ iss: teamId, iat: Math.floor(issuedAt / 1000) })
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .sign(key);
    return `bearer ${token}`;
  }
}
