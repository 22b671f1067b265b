import { OPERATOR } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import { parseApplicant, type Applicant } from "./account.ts";
import { hashPassword } from "./passwords/hash.ts";
import { insertAccount } from "./store/accounts.ts";

/**
 * Creates an account for the operator and returns its id. Its email address counts as verified. Throws `invalid_email`
 * if the address is invalid, `invalid_field` if another field is, and `conflict` if the address has an account.
 */
export async function createAccount(
  context: Context,
  request: Applicant & { readonly isAdmin: boolean },
): Promise<string> {
  const { email, name, password } = parseApplicant(request);
  const id = context.newId();
  const refusal = await insertAccount(context, {
    id,
    email,
    name,
    isAdmin: request.isAdmin,
    addressProof: "operator",
    passwordHash: await hashPassword(password),
    setUpTokenHash: null,
    invitationHash: null,
    mail: null,
    actor: OPERATOR,
  });
  if (refusal === null) return id;
  throw new AppError("conflict", "There is already an account with this email address.");
}
