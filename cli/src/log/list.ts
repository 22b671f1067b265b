import type { Client, NotificationRecord, NotificationsQuery } from "@tocsin/sdk";
import { EXIT } from "../command.ts";
import { formatLocalTime } from "../local-time.ts";
import { findDeviceId, findKeyId } from "../find-by-name.ts";
import { readFirstItems } from "../pages.ts";
import { printTable } from "../table.ts";
import { sanitize, type Terminal } from "../terminal.ts";
import type { ListRequest } from "./request.ts";
import { toResultCell } from "./result.ts";

/** Prints sent notifications, newest first. */
export async function listNotifications(
  client: Client,
  { request, terminal }: { readonly request: ListRequest; readonly terminal: Terminal },
): Promise<number> {
  const query = await toQuery(client, request);
  const list = (page: NotificationsQuery) => client.notifications.list({ ...query, ...page });
  const { items, isComplete } = await readFirstItems(list, request.limit);
  if (request.isJson) terminal.printJson({ items, isComplete });
  else printNotifications(terminal, items);
  if (!isComplete && !request.isJson) {
    terminal.printNote(
      `There are more. --limit shows more of them; --since and --until choose the time.`,
    );
  }
  return EXIT.ok;
}

async function toQuery(client: Client, request: ListRequest): Promise<NotificationsQuery> {
  const { state, channel, code, search, device, key, since, until } = request;
  return {
    ...(state === null ? {} : { state }),
    ...(channel === null ? {} : { channel }),
    ...(code === null ? {} : { code }),
    ...(search === null ? {} : { q: search }),
    ...(device === null ? {} : { device: await findDeviceId(client, device) }),
    ...(key === null ? {} : { key: await findKeyId(client, key) }),
    ...(since === null ? {} : { from: new Date(since).toISOString() }),
    ...(until === null ? {} : { to: new Date(until).toISOString() }),
  };
}

function printNotifications(terminal: Terminal, items: readonly NotificationRecord[]): void {
  if (items.length === 0) return terminal.print("No sent notification matches.");
  printTable(terminal, {
    headings: ["TIME", "RESULT", "CHANNEL", "ID", "TITLE"],
    rows: items.map(({ id, title, body, channel, createdAt, counts }) => [
      { text: formatLocalTime(createdAt), style: "dim" },
      toResultCell(counts),
      { text: sanitize(channel) },
      { text: sanitize(id), style: "dim" },
      { text: sanitize(title === "" ? body : title), style: "bold" },
    ]),
    isLastTruncated: true,
  });
}
