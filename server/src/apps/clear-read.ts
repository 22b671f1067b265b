import type { DatabaseContext } from "#context.ts";
import type { AppHub } from "./hub.ts";
import { findStoredMessages } from "./store/read.ts";

/** The open streams of an account here, and the notifications that it has read elsewhere. */
export interface ClearReadInput {
  readonly hub: AppHub;
  readonly accountId: string;
  readonly notificationIds: readonly string[];
}

/**
 * Tells streams which notifications were read elsewhere. Their content is loaded again, because an app knows a
 * notification by the id that its sender gave it, and may have got it over an earlier connection or another node.
 * Deleted notifications are omitted.
 */
export async function clearRead(
  context: DatabaseContext,
  { hub, accountId, notificationIds }: ClearReadInput,
): Promise<void> {
  const streams = hub.listAccountStreams(accountId);
  if (streams.length === 0) return;
  const messages = await findStoredMessages(context, notificationIds);
  for (const id of notificationIds) {
    const message = messages.get(id);
    if (message === undefined) continue;
    for (const { connection } of streams) connection.clear(message);
  }
}
