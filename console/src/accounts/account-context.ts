import type { Account } from "@tocsin/sdk";
import { createContext, useContext } from "react";

/** The localStorage key for the id of the account that is doing its first steps. */
export const FIRST_STEPS_STORAGE_KEY = "tocsin.steps";

/** Prefix of the sessionStorage keys of a tab's drafts. */
export const DRAFT_KEY_PREFIX = "tocsin.draft";

/** Returns the sessionStorage key of an account's draft. */
export function getDraftStorageKey(accountId: string): string {
  return `${DRAFT_KEY_PREFIX}.${accountId}`;
}

const AccountContext = createContext<Account | null>(null);

/** Provides the signed-in account to the pages inside it. */
export const AccountProvider = AccountContext.Provider;

/** Returns the signed-in account; throws outside `AccountProvider`. */
export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (account === null) throw new Error("This page has no signed-in account.");
  return account;
}
