import type { FeedItem } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { WATCH } from "../descriptions/callers.ts";
import { interruptible } from "../interruption.ts";
import { formatNotification } from "../notification-line.ts";
import { signedInClient } from "../signed-in.ts";
import { plain } from "../terminal.ts";

/** `tocsin watch`. */
export const watch: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: WATCH.options });
  const { channel, json = false } = values;
  const { client, url: server } = await signedInClient(values, terminal);
  const isNew = createDuplicateFilter();
  const printItem = (item: FeedItem) => {
    if ((channel !== undefined && item.channel !== channel) || !isNew(item.id)) return;
    if (json) terminal.printJsonLine(item);
    else terminal.print(formatNotification(item, terminal.style));
  };
  await interruptible(async (interruption) => {
    const signal = AbortSignal.any([interruption, terminal.outputClosed]);
    const onOpen = () => terminal.note(`Connected to ${plain(server)}; Ctrl-C ends.`);
    const onLost = () => terminal.note("The connection is lost. Connecting again.");
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
  const seen = new Set<string>();
  return (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    // A set keeps insertion order.
    for (const oldest of seen) {
      if (seen.size <= REMEMBERED_IDS_MAX) break;
      seen.delete(oldest);
    }
    return true;
  };
}
