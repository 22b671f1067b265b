import { readAll, EXPORT_PAGE_MAX, type ExportSection } from "#accounts/export/sections.ts";
import type { OtherSections } from "#accounts/export/routes.ts";
import { ExportedAppSchema, toExportedApp } from "#apps/response.ts";
import { listApps } from "#apps/store/apps.ts";
import type { Context } from "#context.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { loadDeviceResponses } from "#devices/device-response.ts";
import { GroupSchema } from "#devices/groups/routes.ts";
import { listGroups } from "#devices/groups/store.ts";
import { DeviceSchema } from "#devices/routes.ts";
import { listDevices } from "#devices/store/devices.ts";
import { toExportedPolicy } from "#incidents/policies/response.ts";
import { ExportedPolicySchema } from "#incidents/policies/schemas.ts";
import { listPolicies } from "#incidents/policies/store/policies.ts";
import { toExportedKey } from "#keys/response.ts";
import { ExportedKeySchema } from "#keys/schemas.ts";
import { listKeys } from "#keys/store/keys.ts";
import { listTeamIds } from "#incidents/reader.ts";
import { exportIncidents, toExportedAct } from "#incidents/response.ts";
import { ExportedActSchema, ExportedIncidentSchema } from "#incidents/schemas.ts";
import { listActsOfAccount } from "#incidents/store/acts-of-account.ts";
import { listReachedIncidents } from "#incidents/store/reached-incidents.ts";
import { loadFeedItems } from "#notifications/feed/items.ts";
import { FeedItemSchema } from "#notifications/feed/routes.ts";
import { listFeed } from "#notifications/feed/store.ts";
import { toFeedWindows } from "#notifications/feed/windows.ts";
import { loadRecords } from "#notifications/log/records.ts";
import { addExtras, addExtrasSchema } from "#notifications/log/extras.ts";
import { createRecordSchema } from "#notifications/log/routes.ts";
import { listSentNotifications } from "#notifications/log/store.ts";
import { loadPromptResponses } from "#prompts/response.ts";
import { PromptSchema } from "#prompts/schemas.ts";
import { loadPrompts } from "#prompts/store/prompts.ts";
import { TeamResponse } from "#teams/schemas.ts";
import { listMemberships, listMembershipPeriods } from "#teams/store/teams.ts";

/**
 * Returns the sections of an account export that come from rooms other than `accounts`, without push addresses and
 * secrets.
 */
export function createOtherSections(context: Context): OtherSections {
  return {
    itemSchemas: ITEM_SCHEMAS,
    createSections: (accountId) => createSections(context, accountId),
  };
}

const ITEM_SCHEMAS = {
  apiKeys: ExportedKeySchema,
  devices: DeviceSchema,
  connectedApps: ExportedAppSchema,
  deviceGroups: GroupSchema,
  teams: TeamResponse,
  escalationPolicies: ExportedPolicySchema,
  feed: addExtrasSchema(FeedItemSchema),
  notifications: addExtrasSchema(createRecordSchema(CHUNK_MAX)),
  incidents: ExportedIncidentSchema,
  incidentActs: ExportedActSchema,
  prompts: PromptSchema,
};

function createSections(context: Context, accountId: string): readonly ExportSection[] {
  const toPage = (after: string | null) => ({ accountId, after, limit: EXPORT_PAGE_MAX });
  return [
    { name: "apiKeys", items: exportKeys(context, accountId) },
    { name: "devices", items: exportDevices(context, accountId) },
    { name: "connectedApps", items: exportApps(context, accountId) },
    { name: "deviceGroups", items: readAll((after) => listGroups(context, toPage(after))) },
    { name: "teams", items: readAll((after) => listMemberships(context, toPage(after))) },
    { name: "escalationPolicies", items: exportPolicies(context, accountId) },
    { name: "feed", items: exportFeed(context, accountId) },
    { name: "notifications", items: exportNotifications(context, accountId) },
    { name: "incidents", items: exportReachedIncidents(context, accountId) },
    { name: "incidentActs", items: exportActs(context, accountId) },
    { name: "prompts", items: exportPrompts(context, accountId) },
  ];
}

async function* exportKeys(context: Context, accountId: string) {
  const owners = { accountId, teamIds: [] };
  const listPage = (after: string | null) =>
    listKeys(context, { owners, after, limit: EXPORT_PAGE_MAX });
  for await (const key of readAll(listPage)) yield toExportedKey(key);
}

async function* exportDevices(context: Context, accountId: string) {
  yield* readAll(async (after) => {
    const devices = await listDevices(context, { accountId, after, limit: EXPORT_PAGE_MAX });
    return loadDeviceResponses(context, devices);
  });
}

async function* exportApps(context: Context, accountId: string) {
  const listPage = (after: string | null) =>
    listApps(context, { accountId, after, limit: EXPORT_PAGE_MAX });
  for await (const app of readAll(listPage)) yield toExportedApp(app);
}

async function* exportPolicies(context: Context, accountId: string) {
  const manager = { accountId, teamIds: [] };
  const listPage = (after: string | null) =>
    listPolicies(context, { manager, after, limit: EXPORT_PAGE_MAX });
  for await (const policy of readAll(listPage)) yield toExportedPolicy(policy);
}

async function* exportFeed(context: Context, accountId: string) {
  const windows = toFeedWindows(accountId, await listMembershipPeriods(context, accountId));
  const filter = { accountId, windows, channel: null, isUnreadOnly: false };
  yield* readAll(async (after) => {
    const entries = await listFeed(context, { ...filter, after, limit: EXPORT_PAGE_MAX });
    return addExtras(context, await loadFeedItems(context, entries));
  });
}

async function* exportNotifications(context: Context, accountId: string) {
  const audienceIds = [accountId];
  yield* readAll(async (after) => {
    const sent = await listSentNotifications(context, {
      audienceIds,
      after,
      limit: EXPORT_PAGE_MAX,
    });
    return addExtras(context, await loadRecords(context, sent, CHUNK_MAX));
  });
}

async function* exportReachedIncidents(context: Context, accountId: string) {
  const teamIds = await listTeamIds(context, accountId);
  const page = {
    accountId,
    teamIds,
    hasQuestion: false,
    states: null,
    limit: EXPORT_PAGE_MAX,
  } as const;
  const incidents = readAll((after) => listReachedIncidents(context, { ...page, after }));
  for await (const incident of incidents) yield* exportIncidents(context, [incident]);
}

/** Also exports acts on incidents of teams that the account has left. */
async function* exportActs(context: Context, accountId: string) {
  const listPage = (after: string | null) =>
    listActsOfAccount(context, { accountId, after, limit: EXPORT_PAGE_MAX });
  for await (const act of readAll(listPage)) yield toExportedAct(act);
}

async function* exportPrompts(context: Context, accountId: string) {
  const teamIds = await listTeamIds(context, accountId);
  const page = {
    accountId,
    teamIds,
    hasQuestion: true,
    states: null,
    limit: EXPORT_PAGE_MAX,
  } as const;
  yield* readAll(async (after) => {
    const incidents = await listReachedIncidents(context, { ...page, after });
    const ids = incidents.map(({ id }) => id);
    const prompts = await loadPrompts(context, ids);
    return loadPromptResponses(context, prompts, accountId);
  });
}
