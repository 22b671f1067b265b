import type { Context } from "#context.ts";
import { timeOf } from "#ids.ts";
import { firstEventId, groupsOf, listUnowned, type OwnedGroup, type Trace } from "./store.ts";

/** Why a device was not added by its account, as the audit log has it. */
export type ForeignSign =
  /** The event names another account as the one who added it. */
  | "another_account"
  /** The event names no session and no access token that the account ever had. */
  | "unknown_credential";

/** A live device of an account. */
export interface AddedDevice {
  readonly deviceId: string;
  readonly accountId: string;
  /** RFC 3339. */
  readonly addedAt: string;
}

/** One that another's request added. */
export interface ForeignDevice extends AddedDevice {
  readonly sign: ForeignSign;
  /** As the event has it: the request may have written this itself. */
  readonly recordedAccountId: string | null;
}

/** What a look at all live devices found. */
export interface ForeignDevices {
  readonly devices: readonly ForeignDevice[];
  /** Groups that hold one of them. */
  readonly groups: readonly OwnedGroup[];
  /** Devices to whose adding the audit log does not reach back. */
  readonly unclear: readonly AddedDevice[];
  /** Time was up before all of them were looked at. */
  readonly isUnfinished: boolean;
}

type Looking = Pick<Context, "database">;

/** Devices are looked at by so many, and their groups looked up by so many. */
const DEVICES_AT_ONCE = 2_000;
const GROUPS_AT_ONCE = 500;

/** Looks at all live devices, until the signal aborts. */
export async function findForeignDevices(
  context: Looking,
  signal: AbortSignal,
): Promise<ForeignDevices> {
  const first = await firstEventId(context);
  const toldSince = first === null ? Number.POSITIVE_INFINITY : timeOf(first);
  const devices: ForeignDevice[] = [];
  const unclear: AddedDevice[] = [];
  let after: string | null = "";
  while (after !== null && !signal.aborted) {
    const page = await listUnowned(context, { after, limit: DEVICES_AT_ONCE });
    for (const trace of page.traces) {
      const { deviceId, accountId, actorAccountId: recordedAccountId } = trace;
      const device = { deviceId, accountId, addedAt: new Date(trace.addedAt).toISOString() };
      const sign = signOf(trace, toldSince);
      if (sign === null) unclear.push(device);
      else devices.push({ ...device, sign, recordedAccountId });
    }
    after = page.lastId;
  }
  const ids = devices.map(({ deviceId }) => deviceId);
  return {
    devices,
    groups: await groupsOfAll(context, ids),
    unclear,
    isUnfinished: after !== null,
  };
}

/**
 * Returns what shows that a request of somebody else added a device; null where nothing can be said: no event tells of it, or the
 * session that it names may have begun before the log did, and has ended.
 */
export function signOf(trace: Trace, toldSince: number): ForeignSign | null {
  const { accountId, actorKind, actorAccountId, credentialId } = trace;
  if (actorKind === null) return null;
  if (actorAccountId !== null && actorAccountId !== accountId) return "another_account";
  const isBefore =
    actorKind === "session" && isSessionId(credentialId) && timeOf(credentialId) < toldSince;
  return isBefore && actorAccountId === accountId ? null : "unknown_credential";
}

/** As `createIds` gives them. */
function isSessionId(text: string | null): text is string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text ?? "");
}

async function groupsOfAll(
  context: Looking,
  deviceIds: readonly string[],
): Promise<readonly OwnedGroup[]> {
  const groups = new Map<string, OwnedGroup>();
  for (let start = 0; start < deviceIds.length; start += GROUPS_AT_ONCE) {
    const some = await groupsOf(context, deviceIds.slice(start, start + GROUPS_AT_ONCE));
    for (const group of some) groups.set(group.groupId, group);
  }
  return [...groups.values()];
}
