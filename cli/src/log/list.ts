import type { Client, NotificationRecord, NotificationsQuery } from "@tocsin/sdk";
import { EXIT } from "../command.ts";
import { localTime } from "../local-time.ts";
import { findDeviceId, findKeyId } from "../named.ts";
import { firstItems } from "../pages.ts";
import { printTable } from "../table.ts";
import { plain, type Terminal } from "../terminal.ts";
import type { ListOrder } from "./order.ts";
import { toResultCell } from "./result.ts";

/** Prints sent notifications, newest first. */
export async function listSent(
  client: Client,
  { order, terminal }: { readonly order: ListOrder; readonly terminal: Terminal },
): Promise<number> {
  const query = await toQuery(client, order);
  const list = (page: NotificationsQuery) => client.notifications.list({ ...query, ...page });
  const { items, isComplete } = await firstItems(list, order.limit);
  if (order.isJson) terminal.printJson({ items, isComplete });
  else printNotifications(terminal, items);
  if (!isComplete && !order.isJson) {
    terminal.note(
      `There are more. --limit shows more of them; --since and --until choose the time.`,
    );
  }
  return EXIT.ok;
}

async function toQuery(client: Client, order: ListOrder): Promise<NotificationsQuery> {
  const { state, channel, code, search, device, key, since, until } = order;
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
  if (items.length === 0) return terminal.print("Nothing was sent that fits.");
  printTable(terminal, {
    headings: ["TIME", "RESULT", "CHANNEL", "ID", "TITLE"],
    rows: items.map(({ id, title, body, channel, createdAt, counts }) => [
      { text: localTime(createdAt), style: "dim" },
      toResultCell(counts),
      { text: plain(channel) },
      { text: plain(id), style: "dim" },
      { text: plain(title === "" ? body : title), style: "bold" },
    ]),
  });
}
