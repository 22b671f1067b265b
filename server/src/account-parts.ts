import { allOf, EXPORT_PAGE_MAX, type ExportPart } from "#accounts/export/parts.ts";
import type { Context } from "#context.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { deviceAnswer } from "#devices/answer.ts";
import { listGroups } from "#devices/groups/store.ts";
import { listDevices } from "#devices/store.ts";
import { listKeys } from "#keys/store.ts";
import { feedItem, timestamp } from "#notifications/feed/feed.ts";
import { listFeed } from "#notifications/feed/store.ts";
import { windowsOf } from "#notifications/feed/windows.ts";
import { recordsOf } from "#notifications/log/records.ts";
import { listSent } from "#notifications/log/store.ts";
import { listMemberships, teamsOf } from "#teams/store.ts";

/** Returns what the rooms after `accounts` know of an account, without push addresses and secrets. */
export function otherParts(context: Context, accountId: string): readonly ExportPart[] {
  const page = (after: string | null) => ({ accountId, after, limit: EXPORT_PAGE_MAX });
  return [
    { name: "apiKeys", items: keys(context, accountId) },
    { name: "devices", items: devices(context, accountId) },
    { name: "deviceGroups", items: allOf((after) => listGroups(context, page(after))) },
    { name: "teams", items: allOf((after) => listMemberships(context, page(after))) },
    { name: "feed", items: feed(context, accountId) },
    { name: "notifications", items: notifications(context, accountId) },
  ];
}

async function* keys(context: Context, accountId: string) {
  const owner = { accountId, teamIds: [] };
  const page = (after: string | null) =>
    listKeys(context, { owner, after, limit: EXPORT_PAGE_MAX });
  for await (const key of allOf(page)) {
    const { id, label, hint, createdAt, lastUsedAt, expiresAt, isPostOnly } = key;
    yield {
      id,
      label,
      hint,
      postOnly: isPostOnly,
      createdAt: timestamp(createdAt),
      lastUsedAt: lastUsedAt === null ? null : timestamp(lastUsedAt),
      expiresAt: expiresAt === null ? null : timestamp(expiresAt),
    };
  }
}

async function* devices(context: Context, accountId: string) {
  const page = (after: string | null) =>
    listDevices(context, { accountId, after, limit: EXPORT_PAGE_MAX });
  for await (const device of allOf(page)) yield deviceAnswer(device);
}

async function* feed(context: Context, accountId: string) {
  const windows = windowsOf(accountId, await teamsOf(context, accountId));
  const filter = { accountId, windows, channel: null, isUnreadOnly: false };
  yield* allOf(async (after) => {
    const entries = await listFeed(context, { ...filter, after, limit: EXPORT_PAGE_MAX });
    return entries.map(({ notification, readAt }) => feedItem(notification, readAt));
  });
}

async function* notifications(context: Context, accountId: string) {
  const audienceIds = [accountId];
  yield* allOf(async (after) => {
    const sent = await listSent(context, { audienceIds, after, limit: EXPORT_PAGE_MAX });
    return recordsOf(context, sent, CHUNK_MAX);
  });
}
