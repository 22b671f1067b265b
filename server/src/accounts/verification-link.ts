import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Seal } from "./seal.ts";
import { confirmAddress } from "./store/addresses.ts";

/** The address that a link verifies: only for this account, and only this address of it. */
export interface VerifiedAddress {
  readonly accountId: string;
  /** Lower case. */
  readonly email: string;
}

interface VerificationClaims extends VerifiedAddress {
  readonly expiresAt: number;
}

const LIFE_MS = 3 * 24 * 3_600_000;
/** Separates the token of such a link from anything else that this key may seal later. */
const BOUND = "verification link";

/**
 * Creates and opens the tokens of links that verify an address. They are sealed with a key derived from the server's
 * secret and not stored, so a link may be opened twice: it ends with its account, or with the address.
 */
export function createVerificationLinks(context: Context, seal: Seal) {
  return {
    /** Returns a token that is valid for three days. */
    newVerificationToken({ accountId, email }: VerifiedAddress): string {
      const content: VerificationClaims = { accountId, email, expiresAt: context.now() + LIFE_MS };
      return seal.close(JSON.stringify(content), BOUND);
    },

    /** Confirms the address in such a token; safe to repeat. Throws `expired`. */
    async verifyEmail(token: string, by: Actor): Promise<void> {
      const opened = seal.open(token, BOUND);
      // Written by `newVerificationToken`.
      const content = opened === null ? null : (JSON.parse(opened) as VerificationClaims);
      if (content !== null && content.expiresAt > context.now()) {
        const { accountId, email } = content;
        const proof = "mailed_link";
        if (await confirmAddress(context, { accountId, email, proof, by })) return;
      }
      throw new AppError("expired", "This link has expired or was used. Ask for a new one.");
    },
  };
}
