import type { Account } from "./account.ts";

/** An account as the sign-in library has it. */
export interface LibraryUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly emailVerified: boolean;
}

/** Returns whether an administrator closed the account; the library's own types do not know our columns. */
export function isSuspended(user: object): boolean {
  const suspendedAt: unknown = Reflect.get(user, "suspendedAt");
  return suspendedAt !== null && suspendedAt !== undefined;
}

/** Returns the account in our words. */
export function accountOf(user: LibraryUser): Account {
  const { id, email, name, isAdmin, emailVerified } = user;
  return { id, email, name, isAdmin, isEmailVerified: emailVerified };
}
