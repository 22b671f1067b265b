import { databaseExists } from "#database/database-exists.ts";
import { listAppliedMigrations } from "#database/migration.ts";
import { auditLog } from "#database/migrations/0021-audit-log.ts";
import { openWithLongTimeouts, type DatabaseLocation } from "#database/open.ts";
import { findForeignDevices, type ForeignDevices } from "#devices/foreign/find.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

/** Shorter than the timeout of the check, so that a partial result is reported. */
const SEARCH_TIMEOUT_MS = 60_000;

/** The maximum number of accounts in the message. The facts contain all of them. */
const NAMED_ACCOUNTS_MAX = 5;

/**
 * Checks for devices that a request of another account added: an earlier version accepted the id of another account in
 * the body. A server may run meanwhile. Changes nothing.
 */
export async function checkDevices(
  location: DatabaseLocation,
  signal: AbortSignal,
): Promise<Verdict> {
  const result = await searchForeignDevices(
    location,
    AbortSignal.any([signal, AbortSignal.timeout(SEARCH_TIMEOUT_MS)]),
  );
  if (result === "no devices") return ok("There are no devices yet.");
  if (result === "unreadable") {
    return warn(
      "It could not be checked who added the devices.",
      "Fix the database problem, then run tocsin doctor again.",
    );
  }
  return assessDevices(result);
}

/** Returns the verdict on the devices that the search found. */
export function assessDevices(result: ForeignDevices): Verdict {
  const { devices, groups, unclear, isUnfinished } = result;
  const facts = { devices, groups, unclear, isUnfinished };
  if (devices.length > 0) {
    const deviceText = `${formatCount(devices.length, "device")} ${devices.length === 1 ? "was" : "were"}`;
    const groupText =
      groups.length === 0 ? "" : ` Device groups with one of them: ${groups.length}.`;
    const verdict = fail(
      `${deviceText} added by a request of somebody else, to ${formatAccounts(devices)}.${groupText}`,
      "tocsin doctor --json names them. Remove each with tocsin device remove ID, or let its owner do so, under Devices in the console.",
    );
    return { ...verdict, facts };
  }
  if (isUnfinished) {
    const verdict = warn(
      "The check of the devices did not finish; so far, it found none that someone else added.",
      "Run tocsin doctor again when the server has less to do.",
    );
    return { ...verdict, facts };
  }
  const suffix =
    unclear.length === 0
      ? ""
      : ` The audit log does not reach back to who added ${formatCount(unclear.length, "device")}.`;
  return { ...ok(`No device was added by someone else's request.${suffix}`), facts };
}

function formatAccounts(devices: ForeignDevices["devices"]): string {
  const ids = [...new Set(devices.map(({ accountId }) => accountId))];
  const namedAccounts = ids.slice(0, NAMED_ACCOUNTS_MAX).join(", ");
  const suffix =
    ids.length > NAMED_ACCOUNTS_MAX ? ` and ${ids.length - NAMED_ACCOUNTS_MAX} more` : "";
  return `the ${ids.length === 1 ? "account" : "accounts"} ${namedAccounts}${suffix}`;
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Searches the database. Returns `unreadable` if it cannot be read; other checks report the reason. */
async function searchForeignDevices(
  location: DatabaseLocation,
  signal: AbortSignal,
): Promise<ForeignDevices | "no devices" | "unreadable"> {
  if (!(await databaseExists(location))) return "no devices";
  try {
    const database = openWithLongTimeouts(location);
    try {
      if (!(await listAppliedMigrations(database.db)).includes(auditLog.name)) return "no devices";
      return await findForeignDevices({ database }, signal);
    } finally {
      await database.close();
    }
  } catch {
    return "unreadable";
  }
}
