import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { VERIFICATION_LINK_TTL_MS } from "./link-lifetimes.ts";
import type { Seal } from "./seal.ts";
import { verifyAddress } from "./store/addresses.ts";

/** The email address that a link verifies, for one account only. */
export interface AddressToVerify {
  readonly accountId: string;
  /** Lower case. */
  readonly email: string;
}

interface VerificationContent extends AddressToVerify {
  readonly expiresAt: number;
}

/** Separates the tokens of these links from other data that is sealed with the same key. */
const SEAL_OWNER = "verification link";

/**
 * Creates and opens the tokens of links that verify an email address. They are sealed and not stored, so a link can be
 * opened repeatedly. A link stops working when its account is deleted or the account's address changes.
 */
export function createVerificationLinks(context: Context, seal: Seal) {
  return {
    /** Returns a token that is valid for three days. */
    createVerificationToken({ accountId, email }: AddressToVerify): string {
      const content: VerificationContent = {
        accountId,
        email,
        expiresAt: context.now() + VERIFICATION_LINK_TTL_MS,
      };
      return seal.close(JSON.stringify(content), SEAL_OWNER);
    },

    /** Verifies the address in such a token. Safe to repeat. Throws `expired` if the token is not valid. */
    async verifyEmail(token: string, actor: Actor): Promise<void> {
      const json = seal.open(token, SEAL_OWNER);
      // `createVerificationToken` writes this format.
      const content = json === null ? null : (JSON.parse(json) as VerificationContent);
      if (content !== null && content.expiresAt > context.now()) {
        const { accountId, email } = content;
        const proof = "mailed_link";
        if (await verifyAddress(context, { accountId, email, proof, actor })) return;
      }
      throw new AppError(
        "expired",
        "This link has expired or is no longer valid. Ask for a new one.",
      );
    },
  };
}
