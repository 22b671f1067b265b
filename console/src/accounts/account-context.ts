import type { Account } from "@tocsin/sdk";
import { createContext, useContext } from "react";

/** Where this browser keeps whose first steps are under way. */
export const STEPS_KEY = "tocsin.steps";

/** Where a tab keeps what its people are writing begins so. */
export const DRAFT_KEY = "tocsin.draft";

/** Returns where a tab keeps what an account's person is writing. */
export function draftKeyOf(accountId: string): string {
  return `${DRAFT_KEY}.${accountId}`;
}

const AccountContext = createContext<Account | null>(null);

/** Tells the pages inside it who is signed in. */
export const AccountProvider = AccountContext.Provider;

/** Returns who is signed in; for pages inside the frame alone, and throws outside of it. */
export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (account === null) throw new Error("Nobody is signed in on this page.");
  return account;
}
