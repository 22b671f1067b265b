import type { FeedItem } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { WATCH } from "../descriptions/session.ts";
import { runInterruptibly } from "../interruption.ts";
import { formatNotification } from "../notification-line.ts";
import { createSignedInClient } from "../signed-in-client.ts";
import { sanitize } from "../terminal.ts";

/** Prints notifications as they arrive: `tocsin watch`. */
export const watchCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: WATCH.options });
  const { channel, json = false } = values;
  const { client, url: server } = await createSignedInClient(values, terminal);
  const isNew = createDuplicateFilter();
  const printItem = (item: FeedItem) => {
    if ((channel !== undefined && item.channel !== channel) || !isNew(item.id)) return;
    if (json) terminal.printJsonLine(item);
    else terminal.print(formatNotification(item, terminal.style));
  };
  await runInterruptibly(async (interruption) => {
    const signal = AbortSignal.any([interruption, terminal.outputClosed]);
    const onOpen = () => terminal.printNote(`Connected to ${sanitize(server)}; Ctrl-C ends.`);
    const onLost = () => terminal.printNote("The connection is lost. Connecting again.");
    for await (const event of client.live({ signal, onOpen, onLost })) {
      if (event.kind === "notification") printItem(event.data);
    }
  });
  return EXIT.ok;
};

/** More than the server replays after a reconnect. */
const REMEMBERED_IDS_MAX = 1_000;

/** Returns a predicate for ids that it has not seen before: a resumed stream may repeat a notification. */
function createDuplicateFilter(): (id: string) => boolean {
  const seenIds = new Set<string>();
  return (id) => {
    if (seenIds.has(id)) return false;
    seenIds.add(id);
    // A set keeps insertion order.
    for (const oldest of seenIds) {
      if (seenIds.size <= REMEMBERED_IDS_MAX) break;
      seenIds.delete(oldest);
    }
    return true;
  };
}
