import type { Account } from "@tocsin/sdk";
import { DRAFT_KEY_PREFIX, FIRST_STEPS_STORAGE_KEY } from "./account-context.ts";
import { deleteOfflineCache } from "./offline-cache.ts";

/** The localStorage key of the signed-in account. Other tabs get an event for each change. */
export const ACCOUNT_STORAGE_KEY = "tocsin.account";

/**
 * Stores the signed-in account in this browser, so that the console starts without the server. If another account was
 * stored, deletes the data of that account.
 */
export function storeAccount(account: Account): void {
  const previous = readStoredAccount();
  // Stored before the deletion, so that no tab stores more data of the previous account.
  localStorage.setItem(ACCOUNT_STORAGE_KEY, JSON.stringify(account));
  if (previous !== null && previous.id !== account.id) deleteAccountData();
}

/** Deletes the stored account and its data. */
export function deleteStoredAccount(): void {
  localStorage.removeItem(ACCOUNT_STORAGE_KEY);
  deleteAccountData();
}

/** Deletes the offline data, the drafts and the progress in the first steps. */
function deleteAccountData(): void {
  localStorage.removeItem(FIRST_STEPS_STORAGE_KEY);
  deleteOfflineCache();
  deleteDrafts();
}

/** Deletes all drafts of this tab. */
export function deleteDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(DRAFT_KEY_PREFIX)) sessionStorage.removeItem(key);
  }
}

/** Returns the last signed-in account; null if there is none. */
export function readStoredAccount(): Account | null {
  return parseAccount(localStorage.getItem(ACCOUNT_STORAGE_KEY));
}

/** Returns the account in a stored string; null for any other value. */
export function parseAccount(text: string | null): Account | null {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) return null;
  if (!("id" in value && "email" in value && "name" in value && "isAdmin" in value)) return null;
  const { id, email, name, isAdmin } = value;
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
