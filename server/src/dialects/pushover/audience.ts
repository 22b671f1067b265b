import { parsePushoverUserKey } from "@tocsin/sdk";
import { AppError, type ErrorCode } from "#errors.ts";
import { findGroupAudience, toSenderAudience } from "#notifications/find-audience.ts";
import type { RequestPrincipal } from "#http/authenticate.ts";
import type { AcceptSendInput } from "#notifications/routes.ts";
import type { DialectDeps, OwnDevice } from "../dialect.ts";
import { PushoverError } from "./pushover-error.ts";

/** The audience of a message: a user, or a group. */
type MessageAudience = NonNullable<AcceptSendInput["audience"]>;

/**
 * Returns the audience that a user key names among those that the sender's key reaches: its account, a device group of the
 * account, or its team. Throws `PushoverError` for any other user key.
 */
export async function findMessageAudience(
  { context }: Pick<DialectDeps, "context">,
  sender: RequestPrincipal,
  userKey: string,
): Promise<MessageAudience> {
  const named = parsePushoverUserKey(userKey.trim());
  if (named === null) throw createInvalidUserError();
  const whole = sender.kind === "team" ? sender.teamId : sender.accountId;
  const wholeKind = sender.kind === "team" ? "group" : "account";
  if (named.kind === wholeKind && named.id === whole) return toSenderAudience(sender);
  if (named.kind === "account") throw createInvalidUserError();
  try {
    return await findGroupAudience(context, { sender, groupId: named.id });
  } catch (error) {
    if (error instanceof AppError && GROUP_ERRORS.has(error.code)) throw createInvalidUserError();
    throw error;
  }
}

/** The errors for a device group that a key does not reach. */
const GROUP_ERRORS: ReadonlySet<ErrorCode> = new Set(["unknown_group", "wrong_key_kind"]);

/** Returns the devices of a user; an empty list for a group, whose devices may be those of others. */
export async function listUserDevices(
  { listOwnDevices }: Pick<DialectDeps, "listOwnDevices">,
  audience: MessageAudience,
): Promise<readonly OwnDevice[]> {
  return audience.kind === "account" ? listOwnDevices(audience.accountId) : [];
}

/**
 * Returns the audience for a name of a device. An unknown or ambiguous name, and a list of names, stand for all devices: the
 * alert must arrive.
 */
export async function narrowToDevice(
  deps: Pick<DialectDeps, "listOwnDevices">,
  audience: MessageAudience,
  deviceName: string,
): Promise<MessageAudience> {
  if (deviceName.trim() === "" || audience.kind !== "account") return audience;
  const [device, ...others] = findDevices(await listUserDevices(deps, audience), deviceName);
  if (device === undefined || others.length > 0) return audience;
  return { kind: "device", accountId: audience.accountId, deviceId: device.id };
}

/** Returns the devices with a name, be it their own or the one that Pushover would write. */
export function findDevices(
  devices: readonly OwnDevice[],
  deviceName: string,
): readonly OwnDevice[] {
  const name = deviceName.trim().toLowerCase();
  return devices.filter(
    (device) => device.name.toLowerCase() === name || toPushoverName(device).toLowerCase() === name,
  );
}

/** Returns the name of a device in the letters that Pushover allows: 25 of A to Z, digits, `_` and `-`. */
export function toPushoverName({ name }: Pick<OwnDevice, "name">): string {
  const letters = name
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-");
  const trimmed = letters.replaceAll(/^-+|-+$/g, "").slice(0, 25);
  return trimmed === "" ? "device" : trimmed;
}

/** Returns the error for a user key that names nobody whom the sender's key reaches. */
function createInvalidUserError(): PushoverError {
  return new PushoverError("user", "invalid", "user identifier is not a valid user or group key");
}
