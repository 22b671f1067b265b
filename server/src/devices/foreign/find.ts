import type { DatabaseContext } from "#context.ts";
import { parseIdTime } from "#ids.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { OwnedGroup } from "../groups/store.ts";
import {
  findDeviceAndSignInEvents,
  findOldestEventId,
  findGroupsContaining,
  listAllDevices,
  findCredentialOwnerIds,
  type DeviceOrSignInEvent,
  type LiveDevice,
} from "./store.ts";

/** The evidence in the audit log that another account's request added a device. */
export type ForeignDeviceEvidence =
  /** The event names another account as its actor. */
  | "another_account"
  /** The event names no session or access token that the account ever had. */
  | "unknown_credential";

/** A live device of an account, and when it was added. */
export interface AddedDevice {
  readonly deviceId: string;
  readonly accountId: string;
  /** RFC 3339. */
  readonly addedAt: string;
}

/** A device that another account's request added. */
export interface ForeignDevice extends AddedDevice {
  /** The evidence, which programs read under this name in the output of `tocsin doctor --json`. */
  readonly sign: ForeignDeviceEvidence;
  /** The account in the event, which the request may have forged. */
  readonly recordedAccountId: string | null;
}

/** The result of a check of all live devices. */
export interface ForeignDevices {
  readonly devices: readonly ForeignDevice[];
  /** The groups that contain a foreign device. */
  readonly groups: readonly OwnedGroup[];
  /** Devices whose addition the audit log does not explain, because the addition may be older than the log. */
  readonly unclear: readonly AddedDevice[];
  /** True if the signal aborted before all devices were checked. */
  readonly isUnfinished: boolean;
}

/** The maximum number of devices per query. */
const DEVICES_PER_QUERY_MAX = 500;

/** Returns the devices that other accounts' requests added. Checks all live devices until the signal aborts. */
export async function findForeignDevices(
  context: DatabaseContext,
  signal: AbortSignal,
): Promise<ForeignDevices> {
  const oldestEventId = await findOldestEventId(context);
  const oldestEventAt =
    oldestEventId === null ? Number.POSITIVE_INFINITY : parseIdTime(oldestEventId);
  const devices: ForeignDevice[] = [];
  const unclear: AddedDevice[] = [];
  const groups = new Map<string, OwnedGroup>();
  let isUnfinished = true;
  for (let after = ""; isUnfinished && !signal.aborted;) {
    const page = await listAllDevices(context, { after, limit: DEVICES_PER_QUERY_MAX });
    const pageResult = await checkPage(context, { page, oldestEventAt });
    devices.push(...pageResult.devices);
    unclear.push(...pageResult.unclear);
    const ids = pageResult.devices.map(({ deviceId }) => deviceId);
    for (const group of await findGroupsContaining(context, ids)) groups.set(group.groupId, group);
    after = page.at(-1)?.deviceId ?? after;
    isUnfinished = page.length === DEVICES_PER_QUERY_MAX;
  }
  return { devices, groups: [...groups.values()], unclear, isUnfinished };
}

async function checkPage(
  context: DatabaseContext,
  { page, oldestEventAt }: { readonly page: readonly LiveDevice[]; readonly oldestEventAt: number },
) {
  const accountIds = [...new Set(page.map(({ accountId }) => accountId))];
  const auditEvents = await findDeviceAndSignInEvents(context, accountIds);
  const deviceIds = new Set(page.map(({ deviceId }) => deviceId));
  const additions = auditEvents.filter(
    ({ action, subject_id: id }) => action === "device_added" && id !== null && deviceIds.has(id),
  );
  const credentialIds = additions.flatMap(({ actor_credential_id: id }) => id ?? []);
  const facts = {
    oldestEventAt,
    credentialOwners: await findCredentialOwnerIds(context, [...new Set(credentialIds)]),
    // Only the server writes sign-in events.
    signIns: new Set(
      auditEvents
        .filter(({ action }) => action === "signed_in")
        .map(({ account_id: accountId, subject_id: id }) => `${accountId} ${id}`),
    ),
  };
  const events = new Map(
    additions.map((event) => [`${event.account_id} ${event.subject_id}`, event]),
  );
  const devices: ForeignDevice[] = [];
  const unclear: AddedDevice[] = [];
  for (const { deviceId, accountId, addedAt } of page) {
    const event = events.get(`${accountId} ${deviceId}`) ?? null;
    const evidence = findEvidence(event, facts);
    const device = { deviceId, accountId, addedAt: formatTimestamp(addedAt) };
    if (evidence === "unclear") unclear.push(device);
    else if (evidence !== null) {
      devices.push({
        ...device,
        sign: evidence,
        recordedAccountId: event?.actor_account_id ?? null,
      });
    }
  }
  return { devices, unclear };
}

interface AuditLogFacts {
  /** When the oldest event in the log happened, in milliseconds since the epoch. */
  readonly oldestEventAt: number;
  /** The accounts of sessions and access tokens, by their ids. */
  readonly credentialOwners: ReadonlyMap<string, string>;
  /** Every sign-in in the log: the id of its account and the id of its session. */
  readonly signIns: ReadonlySet<string>;
}

/**
 * Returns the evidence that another account's request added a device; null if its own account added it. `unclear` if
 * no event records the addition, or if the event names an ended session that may be older than the log.
 */
function findEvidence(
  event: DeviceOrSignInEvent | null,
  facts: AuditLogFacts,
): ForeignDeviceEvidence | "unclear" | null {
  if (event === null) return "unclear";
  const { account_id: accountId, actor_account_id: actorId, actor_kind: kind } = event;
  if (actorId !== null && actorId !== accountId) return "another_account";
  const credentialId = event.actor_credential_id;
  if (actorId === null || credentialId === null) return "unknown_credential";
  if (kind !== "session" && kind !== "access_token") return "unknown_credential";
  if (facts.credentialOwners.get(credentialId) === accountId) return null;
  if (kind !== "session") return "unknown_credential";
  if (facts.signIns.has(`${accountId} ${credentialId}`)) return null;
  const mayPredateLog =
    isSessionId(credentialId) && parseIdTime(credentialId) < facts.oldestEventAt;
  return mayPredateLog ? "unclear" : "unknown_credential";
}

/** Returns whether a string has the format of an id from `createIds`. */
function isSessionId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
}
