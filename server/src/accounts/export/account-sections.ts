import { ownEventAnswer } from "#audit/answer.ts";
import { listEvents } from "#audit/store.ts";
import { familyOf } from "#audit/user-agent.ts";
import type { Context } from "#context.ts";
import { timestamp } from "#schema/moment.ts";
import { listAccessTokens } from "../access-tokens/store.ts";
import type { Account } from "../account.ts";
import { listPasskeys } from "../passkeys/store.ts";
import { listSessions } from "../sessions/store/own-sessions.ts";
import { isTwoFactorOn } from "../two-factor/two-factor.ts";
import { readAll, EXPORT_PAGE_MAX, type ExportSection } from "./sections.ts";

/** Returns the data of this room about an account, without credentials. */
export async function accountSections(
  context: Context,
  account: Account,
): Promise<readonly ExportSection[]> {
  const { id: accountId } = account;
  const page = (after: string | null) => ({ accountId, after, limit: EXPORT_PAGE_MAX });
  const tokens = readAll((after) => listAccessTokens(context, page(after)));
  const passkeys = readAll((after) => listPasskeys(context, page(after)));
  const sessions = readAll((after) => listSessions(context, page(after)));
  const events = readAll((after) => listEvents(context, { ...ALL_EVENTS, ...page(after) }));
  const hasTwoFactor = await isTwoFactorOn(context, accountId);
  return [
    { name: "exportedAt", value: timestamp(context.now()) },
    { name: "account", value: { ...account, isTwoFactorOn: hasTwoFactor } },
    {
      name: "sessions",
      items: mapItems(sessions, ({ id, createdAt, lastSeenAt, userAgent }) => ({
        id,
        createdAt: timestamp(createdAt),
        lastSeenAt: timestamp(lastSeenAt),
        userAgent: familyOf(userAgent),
      })),
    },
    { name: "accessTokens", items: mapItems(tokens, withTimestamps) },
    { name: "passkeys", items: mapItems(passkeys, withTimestamps) },
    { name: "audit", items: mapItems(events, (event) => ownEventAnswer(event, accountId)) },
  ];
}

const ALL_EVENTS = { action: null, since: null, until: null };

async function* mapItems<T>(items: AsyncIterable<T>, map: (item: T) => unknown) {
  for await (const item of items) yield map(item);
}

function withTimestamps<T extends { createdAt: number; lastUsedAt: number | null }>(item: T) {
  const { createdAt, lastUsedAt } = item;
  return {
    ...item,
    createdAt: timestamp(createdAt),
    lastUsedAt: lastUsedAt === null ? null : timestamp(lastUsedAt),
  };
}
