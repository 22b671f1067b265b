import { EMPTY_CONTENT, type FeedItem } from "@tocsin/sdk";

/** Returns a feed item for tests. */
export function createFeedItem(id: string, fields: Partial<FeedItem> = {}): FeedItem {
  return {
    id,
    ...EMPTY_CONTENT,
    title: id,
    teamId: null,
    teamName: null,
    keyLabel: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    readAt: null,
    incidentId: null,
    cause: null,
    incidentState: null,
    promptId: null,
    promptState: null,
    ...fields,
  };
}
