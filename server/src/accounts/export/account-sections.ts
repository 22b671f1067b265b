import { toOwnEventResponse } from "#audit/response.ts";
import { listEvents } from "#audit/store.ts";
import { describeUserAgent } from "#audit/user-agent.ts";
import type { Context } from "#context.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { listAccessTokens } from "../access-tokens/store.ts";
import type { Account } from "../account.ts";
import { listPasskeys } from "../passkeys/store.ts";
import { listSessions } from "../sessions/store/own-sessions.ts";
import { isTwoFactorOn } from "../two-factor/two-factor.ts";
import { readAll, EXPORT_PAGE_MAX, type ExportSection } from "./sections.ts";

/** Returns the data of this room about an account, without credentials. */
export async function createAccountSections(
  context: Context,
  account: Account,
): Promise<readonly ExportSection[]> {
  const { id: accountId } = account;
  const toPageQuery = (after: string | null) => ({ accountId, after, limit: EXPORT_PAGE_MAX });
  const tokens = readAll((after) => listAccessTokens(context, toPageQuery(after)));
  const passkeys = readAll((after) => listPasskeys(context, toPageQuery(after)));
  const sessions = readAll((after) => listSessions(context, toPageQuery(after)));
  const events = readAll((after) => listEvents(context, { ...ALL_EVENTS, ...toPageQuery(after) }));
  const hasTwoFactor = await isTwoFactorOn(context, accountId);
  return [
    { name: "exportedAt", value: formatTimestamp(context.now()) },
    { name: "account", value: { ...account, isTwoFactorOn: hasTwoFactor } },
    {
      name: "sessions",
      items: mapItems(sessions, ({ id, createdAt, lastSeenAt, userAgent }) => ({
        id,
        createdAt: formatTimestamp(createdAt),
        lastSeenAt: formatTimestamp(lastSeenAt),
        userAgent: describeUserAgent(userAgent),
      })),
    },
    { name: "accessTokens", items: mapItems(tokens, formatTimestamps) },
    { name: "passkeys", items: mapItems(passkeys, formatTimestamps) },
    { name: "audit", items: mapItems(events, (event) => toOwnEventResponse(event, accountId)) },
  ];
}

const ALL_EVENTS = { action: null, since: null, until: null };

async function* mapItems<T>(items: AsyncIterable<T>, map: (item: T) => unknown) {
  for await (const item of items) yield map(item);
}

function formatTimestamps<T extends { createdAt: number; lastUsedAt: number | null }>(item: T) {
  const { createdAt, lastUsedAt } = item;
  return {
    ...item,
    createdAt: formatTimestamp(createdAt),
    lastUsedAt: lastUsedAt === null ? null : formatTimestamp(lastUsedAt),
  };
}
