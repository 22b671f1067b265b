import type { NotificationAudience, SendingKey } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import type { NewNotification } from "#delivery/delivery.ts";
import { findGroupNames } from "#devices/groups/store.ts";
import { findDeviceNames } from "#devices/store/devices.ts";
import { findKeyNames } from "#keys/store/keys.ts";
import { findTeamNames } from "#teams/store/teams.ts";

/** The sender and the audience of a notification, with their names. The key is null if a person sent it. */
export interface SenderAndAudience {
  readonly audience: NotificationAudience;
  readonly key: SendingKey | null;
}

/** Returns the senders and audiences of at most 500 notifications, in their order. */
export async function findSendersAndAudiences(
  context: Context,
  notifications: readonly NewNotification[],
): Promise<readonly SenderAndAudience[]> {
  const audiences = notifications.map(({ audience }) => audience);
  const keyIds = notifications.flatMap(({ keyId }) => (keyId === null ? [] : [keyId]));
  const [teams, groups, devices, keys] = await Promise.all([
    findTeamNames(
      context,
      listUniqueIds(
        audiences.map((audience) => (audience.kind === "team" ? audience.teamId : null)),
      ),
    ),
    findGroupNames(
      context,
      listUniqueIds(
        audiences.map((audience) => (audience.kind === "group" ? audience.groupId : null)),
      ),
    ),
    findDeviceNames(
      context,
      listUniqueIds(
        audiences.map((audience) => (audience.kind === "device" ? audience.deviceId : null)),
      ),
    ),
    findKeyNames(context, listUniqueIds(keyIds)),
  ]);
  const describeAudience = ({ audience }: NewNotification): NotificationAudience => {
    const { kind } = audience;
    switch (kind) {
      case "account":
        return { kind, id: audience.accountId, name: null };
      case "team":
        return { kind, id: audience.teamId, name: teams.get(audience.teamId) ?? null };
      case "group":
        return { kind, id: audience.groupId, name: groups.get(audience.groupId) ?? null };
      case "device":
        return { kind, id: audience.deviceId, name: devices.get(audience.deviceId)?.name ?? null };
    }
  };
  return notifications.map((notification) => {
    const { keyId } = notification;
    const deletedKey = keyId === null ? null : { id: keyId, label: null, hint: "" };
    const key = keyId === null ? null : (keys.get(keyId) ?? deletedKey);
    return { audience: describeAudience(notification), key };
  });
}

function listUniqueIds(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
