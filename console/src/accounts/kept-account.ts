import type { Account } from "@tocsin/sdk";
import { DRAFT_KEY, STEPS_KEY } from "./account-context.ts";
import { forgetKept } from "./kept-cache.ts";

/** The localStorage key of the signed-in account; other tabs notice each change. */
export const ACCOUNT_KEY = "tocsin.account";

/** Stores the signed-in account in this browser, so that the page starts without the server. */
export function keepAccount(account: Account): void {
  localStorage.setItem(ACCOUNT_KEY, JSON.stringify(account));
}

/** Forgets the account that was signed in, its offline data, its drafts and its first steps. */
export function forgetAccount(): void {
  localStorage.removeItem(ACCOUNT_KEY);
  localStorage.removeItem(STEPS_KEY);
  forgetKept();
  forgetDrafts();
}

/** Forgets all drafts of this tab. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(DRAFT_KEY)) sessionStorage.removeItem(key);
  }
}

/** Returns the account that was signed in last; null for none. */
export function recallAccount(): Account | null {
  return parseAccount(localStorage.getItem(ACCOUNT_KEY));
}

/** Returns the account in a stored text; null for anything else. */
export function parseAccount(text: string | null): Account | null {
  const kept = parseJson(text);
  if (typeof kept !== "object" || kept === null) return null;
  if (!("id" in kept && "email" in kept && "name" in kept && "isAdmin" in kept)) return null;
  const { id, email, name, isAdmin } = kept;
  if (typeof id !== "string" || typeof email !== "string") return null;
  if (typeof name !== "string" || typeof isAdmin !== "boolean") return null;
  return { id, email, name, isAdmin };
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
