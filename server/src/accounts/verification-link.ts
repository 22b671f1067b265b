import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Seal } from "./seal.ts";
import { confirmAddress } from "./store/addresses.ts";

/** The email address that a link verifies, for one account only. */
export interface VerifiedAddress {
  readonly accountId: string;
  /** Lower case. */
  readonly email: string;
}

interface VerificationClaims extends VerifiedAddress {
  readonly expiresAt: number;
}

const TTL_MS = 3 * 24 * 3_600_000;
/** Separates the tokens of these links from other data that is sealed with the same key. */
const BOUND = "verification link";

/**
 * Creates and opens the tokens of links that verify an email address. They are sealed with a key derived from the
 * server's secret and not stored, so a link can be opened repeatedly. It ends with its account, or when the address
 * changes.
 */
export function createVerificationLinks(context: Context, seal: Seal) {
  return {
    /** Returns a token that is valid for three days. */
    newVerificationToken({ accountId, email }: VerifiedAddress): string {
      const content: VerificationClaims = { accountId, email, expiresAt: context.now() + TTL_MS };
      return seal.close(JSON.stringify(content), BOUND);
    },

    /** Verifies the address in such a token. Safe to repeat. Throws `expired`. */
    async verifyEmail(token: string, actor: Actor): Promise<void> {
      const json = seal.open(token, BOUND);
      // Written by `newVerificationToken`.
      const content = json === null ? null : (JSON.parse(json) as VerificationClaims);
      if (content !== null && content.expiresAt > context.now()) {
        const { accountId, email } = content;
        const proof = "mailed_link";
        if (await confirmAddress(context, { accountId, email, proof, actor })) return;
      }
      throw new AppError("expired", "This link has expired or was used. Ask for a new one.");
    },
  };
}
