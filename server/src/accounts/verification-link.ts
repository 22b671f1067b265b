import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { createSeal } from "./seal.ts";
import { confirmAddress } from "./store/addresses.ts";

/** Whose address a link verifies: another account's of the same address, or another address of the account's, never. */
export interface VerifiedAddress {
  readonly accountId: string;
  /** Lower case. */
  readonly email: string;
}

interface Content extends VerifiedAddress {
  readonly expiresAt: number;
}

const LIFE_MS = 3 * 24 * 3_600_000;
/** Keeps the token of such a link apart from whatever else this key may come to seal. */
const BOUND = "verification link";

/**
 * Returns what makes and opens the tokens of links that verify an address. They are sealed with a key from the server's
 * secret and stored nowhere, so that a link may be opened twice: it ends with its account, or with the address.
 */
export function createVerificationLinks(context: Context, secret: string) {
  const seal = createSeal(secret, "verification-link");
  return {
    /** Returns a token that is good for three days. */
    newVerificationToken({ accountId, email }: VerifiedAddress): string {
      const content: Content = { accountId, email, expiresAt: context.now() + LIFE_MS };
      return seal.close(JSON.stringify(content), BOUND);
    },

    /** Confirms the address in such a token; repeating it is safe. Throws `expired`. */
    async verifyEmail(token: string, by: Actor): Promise<void> {
      const opened = seal.open(token, BOUND);
      // What `newVerificationToken` wrote.
      const content = opened === null ? null : (JSON.parse(opened) as Content);
      if (content !== null && content.expiresAt > context.now()) {
        const { accountId, email } = content;
        const proof = "mailed_link";
        if (await confirmAddress(context, { accountId, email, proof, by })) return;
      }
      throw new AppError("expired", "This link has expired or was used. Ask for a new one.");
    },
  };
}
