import { pino } from "pino";
import { isThere } from "#database/is-there.ts";
import { takenSteps } from "#database/migration.ts";
import { auditLog } from "#database/migrations/0021-audit-log.ts";
import { openPatiently, type DatabasePlace } from "#database/open.ts";
import { findForeignDevices, type ForeignDevices } from "#devices/foreign/find.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

/** Shorter than the limit of the check, so that partial results are reported. */
const LOOK_MAX_MS = 60_000;

/** The most accounts named in the message; the facts contain all of them. */
const NAMED_MAX = 5;

/**
 * Finds devices that were added to an account by somebody else's request: an earlier version accepted another account
 * in the body. A server may run meanwhile; changes nothing.
 */
export async function checkDevices(place: DatabasePlace, signal: AbortSignal): Promise<Verdict> {
  const found = await lookAt(place, AbortSignal.any([signal, AbortSignal.timeout(LOOK_MAX_MS)]));
  if (found === "nothing") return ok("There are no devices yet.");
  if (found === "unseen") {
    return warn(
      "It could not be checked who added the devices.",
      "Fix the database problem, then run tocsin doctor again.",
    );
  }
  return judgeDevices(found);
}

/** Returns the verdict on the result. */
export function judgeDevices(found: ForeignDevices): Verdict {
  const { devices, groups, unclear, isUnfinished } = found;
  const facts = { devices, groups, unclear, isUnfinished };
  if (devices.length > 0) {
    const many = `${counted(devices.length, "device")} ${devices.length === 1 ? "was" : "were"}`;
    const held = groups.length === 0 ? "" : ` Device groups with one of them: ${groups.length}.`;
    const verdict = fail(
      `${many} added by a request of somebody else, to ${accountsOf(devices)}.${held}`,
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
  const rest =
    unclear.length === 0
      ? ""
      : ` The audit log does not reach back to who added ${counted(unclear.length, "device")}.`;
  return { ...ok(`No device was added by someone else's request.${rest}`), facts };
}

function accountsOf(devices: ForeignDevices["devices"]): string {
  const ids = [...new Set(devices.map(({ accountId }) => accountId))];
  const named = ids.slice(0, NAMED_MAX).join(", ");
  const rest = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : "";
  return `the ${ids.length === 1 ? "account" : "accounts"} ${named}${rest}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** If the database cannot be read, other checks report the reason. */
async function lookAt(
  place: DatabasePlace,
  signal: AbortSignal,
): Promise<ForeignDevices | "nothing" | "unseen"> {
  if (!(await isThere(place))) return "nothing";
  try {
    const database = openPatiently(place, pino({ level: "silent" }));
    try {
      if (!(await takenSteps(database.db)).includes(auditLog.name)) return "nothing";
      return await findForeignDevices({ database }, signal);
    } finally {
      await database.close();
    }
  } catch {
    return "unseen";
  }
}
