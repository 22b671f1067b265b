import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { CHANNEL_PATTERN, type FeedChange } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import { invalidField } from "#errors.ts";
import { TIMESTAMP_KEYWORDS, parseTimestamp, formatTimestamp } from "#schema/timestamp.ts";
import type { Server } from "#http/server.ts";
import { createNotInFeedError } from "../not-in-feed-error.ts";
import type { FeedRouteDeps } from "../routes.ts";
import { toFeedWindows } from "../windows.ts";
import {
  deleteEntry,
  markRead,
  markUnread,
  restoreEntry,
  markUnreadByReadAt,
  type MarkSelection,
} from "./store.ts";

/** The dependencies of the routes that mark, delete and restore feed entries. */
export interface FeedMarkRouteDeps extends FeedRouteDeps {
  /** Called after an account changed its feed; must not throw. */
  readonly onChanged: (accountId: string, change: FeedChange) => void;
}

/** The limit of ids in one request or live event. */
const IDS_MAX = 1_000;
const IdSchema = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });
const IdsSchema = Type.Array(IdSchema, { maxItems: IDS_MAX });
const EntryParams = Type.Object({ id: Type.String() });

/** Registers the operations on feed entries: read, unread, delete, restore. */
export function registerFeedMarkRoutes(server: Server, deps: FeedMarkRouteDeps): void {
  registerMarkRead(server, deps);
  registerMarkUnread(server, deps);
  registerDelete(server, deps);
  registerRestore(server, deps);
}

function registerMarkRead(server: Server, deps: FeedMarkRouteDeps): void {
  const schema = {
    operationId: "markRead",
    summary: "Mark notifications as read, by id, or all up to a given one",
    description:
      "Ids that are not in my feed are ignored. An `upTo` that is not in my feed marks nothing.",
    tags: ["Feed"],
    body: addDocumentedKeywords(
      Type.Object({
        ids: Type.Optional(IdsSchema),
        upTo: Type.Optional(IdSchema),
        channel: Type.Optional(Type.String({ pattern: `^$|${CHANNEL_PATTERN}` })),
      }),
      { oneOf: [{ required: ["ids"] }, { required: ["upTo"] }] },
    ),
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/feed/read", { schema }, async (request, reply) => {
    const { context, authenticate, listMembershipPeriods, onChanged } = deps;
    const { accountId } = await authenticate(request);
    const windows = toFeedWindows(accountId, await listMembershipPeriods(accountId));
    const selection = parseMarkSelection(request.body);
    const readAt = await markRead(context, { accountId, windows, selection });
    if (readAt !== null) {
      onChanged(accountId, {
        kind: "read",
        which: formatMarkSelection(selection),
        readAt: formatTimestamp(readAt),
      });
    }
    return reply.code(204).send(null);
  });
}

function registerMarkUnread(server: Server, deps: FeedMarkRouteDeps): void {
  const schema = {
    operationId: "markUnread",
    summary: "Mark notifications as unread again, by id or by the time when they were read",
    description:
      "Pass the `readAt` of a notification to mark as unread everything that was marked as read with it.",
    tags: ["Feed"],
    body: addDocumentedKeywords(
      Type.Object({
        ids: Type.Optional(IdsSchema),
        readAt: Type.Optional(
          addDocumentedKeywords(Type.String({ description: "RFC 3339." }), TIMESTAMP_KEYWORDS),
        ),
      }),
      { oneOf: [{ required: ["ids"] }, { required: ["readAt"] }] },
    ),
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/feed/unread", { schema }, async (request, reply) => {
    const { context, authenticate, onChanged } = deps;
    const { accountId } = await authenticate(request);
    const unreadIds = await parseAndMarkUnread(context, accountId, request.body);
    for (let start = 0; start < unreadIds.length; start += IDS_MAX) {
      onChanged(accountId, {
        kind: "unread",
        ids: unreadIds.slice(start, start + IDS_MAX),
      });
    }
    return reply.code(204).send(null);
  });
}

function registerDelete(server: Server, deps: FeedMarkRouteDeps): void {
  const schema = {
    operationId: "deleteFeedItem",
    summary: "Delete a notification from my feed",
    description: "It stays in the feeds of others, and in the delivery log.",
    tags: ["Feed"],
    params: EntryParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/feed/:id", { schema }, async (request, reply) => {
    const { context, authenticate, listMembershipPeriods, onChanged } = deps;
    const { accountId } = await authenticate(request);
    const { id } = request.params;
    const windows = toFeedWindows(accountId, await listMembershipPeriods(accountId));
    if (!(await deleteEntry(context, { accountId, windows, id }))) throw createNotInFeedError();
    onChanged(accountId, { kind: "deleted", ids: [id] });
    return reply.code(204).send(null);
  });
}

function registerRestore(server: Server, deps: FeedMarkRouteDeps): void {
  const schema = {
    operationId: "restoreFeedItem",
    summary: "Put a notification that I deleted back into my feed, as read",
    tags: ["Feed"],
    params: EntryParams,
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/feed/:id/restore", { schema }, async (request, reply) => {
    const { context, authenticate, onChanged } = deps;
    const { accountId } = await authenticate(request);
    const { id } = request.params;
    if (!(await restoreEntry(context, { accountId, id }))) throw createNotInFeedError();
    onChanged(accountId, { kind: "restored", ids: [id] });
    return reply.code(204).send(null);
  });
}

function parseMarkSelection(body: {
  ids?: string[];
  upTo?: string;
  channel?: string;
}): MarkSelection {
  const { ids, upTo, channel = "" } = body;
  if (ids !== undefined && upTo === undefined) return { ids };
  if (upTo !== undefined && ids === undefined) {
    return { upTo, channel: channel === "" ? null : channel };
  }
  throw invalidField("ids", "Send either ids or upTo.");
}

/**
 * Marks the selected entries as unread. Returns the ids to announce: all given ids, or those with the given `readAt`.
 * Throws `invalid_field` unless exactly one of the two is given, and for a malformed time.
 */
async function parseAndMarkUnread(
  context: FeedMarkRouteDeps["context"],
  accountId: string,
  { ids, readAt }: { ids?: string[]; readAt?: string },
): Promise<readonly string[]> {
  if (ids !== undefined && readAt === undefined) {
    if (ids.length > 0) await markUnread(context, { accountId, ids });
    return ids;
  }
  if (readAt === undefined || ids !== undefined) {
    throw invalidField("ids", "Send either ids or readAt.");
  }
  const at = parseTimestamp(readAt);
  if (at === null) throw invalidField("readAt", "readAt must be a timestamp in RFC 3339 format.");
  return markUnreadByReadAt(context, { accountId, readAt: at });
}

function formatMarkSelection(selection: MarkSelection) {
  if ("ids" in selection) return selection;
  const { upTo, channel } = selection;
  return channel === null ? { upTo } : { upTo, channel };
}
