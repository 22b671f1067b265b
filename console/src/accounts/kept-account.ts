import type { Account } from "@tocsin/sdk";
import { DRAFT_KEY, STEPS_KEY } from "./account-context.ts";
import { forgetKept } from "./kept-cache.ts";

/** Where this browser keeps who is signed in; its other tabs hear of each change. */
export const ACCOUNT_KEY = "tocsin.account";

/** Keeps who is signed in, so that the page starts without the server. */
export function keepAccount(account: Account): void {
  localStorage.setItem(ACCOUNT_KEY, JSON.stringify(account));
}

/** Forgets who was signed in, what they could read without the server, what they were writing, and their first steps. */
export function forgetAccount(): void {
  localStorage.removeItem(ACCOUNT_KEY);
  localStorage.removeItem(STEPS_KEY);
  forgetKept();
  forgetDrafts();
}

/** Forgets what was being written in this tab. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(DRAFT_KEY)) sessionStorage.removeItem(key);
  }
}

/** Returns who was signed in last, null for nobody. */
export function recallAccount(): Account | null {
  return parseAccount(localStorage.getItem(ACCOUNT_KEY));
}

/** Returns what a kept text says, null for anything else. */
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
