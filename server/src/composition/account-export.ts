import { readAll, EXPORT_PAGE_MAX, type ExportSection } from "#accounts/export/sections.ts";
import type { OtherSections } from "#accounts/export/routes.ts";
import type { Context } from "#context.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { deviceAnswer } from "#devices/answer.ts";
import { GroupSchema } from "#devices/groups/routes.ts";
import { listGroups } from "#devices/groups/store.ts";
import { DeviceSchema } from "#devices/routes.ts";
import { listDevices } from "#devices/store/devices.ts";
import { ExportedKeyAnswer, exportedKey } from "#keys/routes.ts";
import { listKeys } from "#keys/store/keys.ts";
import { feedItems } from "#notifications/feed/items.ts";
import { FeedItemAnswer } from "#notifications/feed/routes.ts";
import { listFeed } from "#notifications/feed/store.ts";
import { windowsOf } from "#notifications/feed/windows.ts";
import { loadRecords } from "#notifications/log/records.ts";
import { recordAnswer } from "#notifications/log/routes.ts";
import { listSent } from "#notifications/log/store.ts";
import { TeamAnswer } from "#teams/schemas.ts";
import { listMemberships, listStays } from "#teams/store/teams.ts";

/**
 * Returns the sections of an account export that come from rooms other than `accounts`, without push addresses and
 * secrets.
 */
export function createOtherSections(context: Context): OtherSections {
  return { items: ITEMS, of: (accountId) => sectionsOf(context, accountId) };
}

const ITEMS = {
  apiKeys: ExportedKeyAnswer,
  devices: DeviceSchema,
  deviceGroups: GroupSchema,
  teams: TeamAnswer,
  feed: FeedItemAnswer,
  notifications: recordAnswer(CHUNK_MAX),
};

function sectionsOf(context: Context, accountId: string): readonly ExportSection[] {
  const page = (after: string | null) => ({ accountId, after, limit: EXPORT_PAGE_MAX });
  return [
    { name: "apiKeys", items: keys(context, accountId) },
    { name: "devices", items: devices(context, accountId) },
    { name: "deviceGroups", items: readAll((after) => listGroups(context, page(after))) },
    { name: "teams", items: readAll((after) => listMemberships(context, page(after))) },
    { name: "feed", items: feed(context, accountId) },
    { name: "notifications", items: notifications(context, accountId) },
  ];
}

async function* keys(context: Context, accountId: string) {
  const owner = { accountId, teamIds: [] };
  const page = (after: string | null) =>
    listKeys(context, { owner, after, limit: EXPORT_PAGE_MAX });
  for await (const key of readAll(page)) yield exportedKey(key);
}

async function* devices(context: Context, accountId: string) {
  const page = (after: string | null) =>
    listDevices(context, { accountId, after, limit: EXPORT_PAGE_MAX });
  for await (const device of readAll(page)) yield deviceAnswer(device);
}

async function* feed(context: Context, accountId: string) {
  const windows = windowsOf(accountId, await listStays(context, accountId));
  const filter = { accountId, windows, channel: null, isUnreadOnly: false };
  yield* readAll(async (after) => {
    const entries = await listFeed(context, { ...filter, after, limit: EXPORT_PAGE_MAX });
    return feedItems(context, entries);
  });
}

async function* notifications(context: Context, accountId: string) {
  const audienceIds = [accountId];
  yield* readAll(async (after) => {
    const sent = await listSent(context, { audienceIds, after, limit: EXPORT_PAGE_MAX });
    return loadRecords(context, sent, CHUNK_MAX);
  });
}
