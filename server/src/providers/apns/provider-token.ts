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

interface Minted {
  readonly authorization: Promise<string>;
  /** By the monotonic clock. */
  readonly mintedAt: number;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

/** Apple takes a token for one hour (Apple, "Establishing a token-based connection to APNs"). */
const LIFE_MS = 60 * 60 * 1000;
const RENEWAL_AGE_MS = 50 * 60 * 1000;
/** Whoever renews more often than every 20 minutes is answered `TooManyProviderTokenUpdates` (ibid.). */
const RENEWAL_FLOOR_MS = 20 * 60 * 1000;

/** Holds the one signed credential that all connections share, and renews it neither too late nor too often. */
export class ProviderToken {
  readonly #identity: TokenIdentity;
  #held: Minted | null = null;

  constructor(identity: TokenIdentity) {
    this.#identity = identity;
  }

  /** Returns the `authorization` header; a burst of callers shares one signature. */
  async authorization(): Promise<string> {
    return this.#current().authorization;
  }

  /** Returns what to send in place of a refused header: a newer one, or the same where that is too young to be replaced. */
  async renew(refused: string): Promise<string> {
    const current = this.#current();
    if ((await current.authorization) !== refused) return current.authorization;
    // Too young it is also where others whose header was refused have been here since.
    return (this.msToRenewal() > 0 ? this.#current() : this.#mint()).authorization;
  }

  /** Returns how long the token may not be replaced yet; mints none. */
  msToRenewal(): number {
    const held = this.#held;
    if (held === null) return 0;
    return Math.max(0, held.mintedAt + RENEWAL_FLOOR_MS - this.#identity.elapsed());
  }

  #current(): Minted {
    const held = this.#held;
    if (held === null) return this.#mint();
    const { now, elapsed } = this.#identity;
    // A machine that slept brings back a monotonic clock that slept as well.
    const isOver = now() - held.issuedAt >= LIFE_MS;
    return !isOver && elapsed() - held.mintedAt < RENEWAL_AGE_MS ? held : this.#mint();
  }

  #mint(): Minted {
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
