import type { KeyObject } from "node:crypto";
import { SignJWT } from "jose";

export interface TokenIdentity {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  readonly now: () => number;
}

interface Minted {
  readonly authorization: Promise<string>;
  readonly mintedAt: number;
  /** From when its age is counted: when it was minted, or the moment to which the clock was set back since. */
  since: number;
}

/** Apple takes a token for one hour (Apple, "Establishing a token-based connection to APNs"). */
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
    return Math.max(0, held.since + RENEWAL_FLOOR_MS - this.#identity.now());
  }

  #current(): Minted {
    const held = this.#held;
    if (held === null) return this.#mint();
    const now = this.#identity.now();
    held.since = Math.min(held.since, now);
    // A token of the future is from before the clock was set back: it is replaced as soon as the floor allows.
    const limit = held.mintedAt > now ? RENEWAL_FLOOR_MS : RENEWAL_AGE_MS;
    return now - held.since < limit ? held : this.#mint();
  }

  #mint(): Minted {
    const mintedAt = this.#identity.now();
    this.#held = { authorization: this.#sign(mintedAt), mintedAt, since: mintedAt };
    return this.#held;
  }

  async #sign(now: number): Promise<string> {
    const { key, keyId, teamId } = this.#identity;
    const token = await new SignJWT({ iss: teamId, iat: Math.floor(now / 1000) })
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .sign(key);
    return `bearer ${token}`;
  }
}
