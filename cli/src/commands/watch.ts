import type { FeedItem } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { WATCH } from "../descriptions/callers.ts";
import { interruptible } from "../interruption.ts";
import { lineOf } from "../notification-line.ts";
import { signedIn } from "../signed-in.ts";
import { plain } from "../terminal.ts";

/** `tocsin watch`. */
export const watch: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: WATCH.options });
  const { channel, json = false } = values;
  const { client, url: server } = await signedIn(values, terminal);
  const isNew = createRecollection();
  const tell = (item: FeedItem) => {
    if ((channel !== undefined && item.channel !== channel) || !isNew(item.id)) return;
    if (json) terminal.printJsonLine(item);
    else terminal.print(lineOf(item, terminal.style));
  };
  await interruptible(async (interruption) => {
    const signal = AbortSignal.any([interruption, terminal.readerGone]);
    const onOpen = () => terminal.note(`Connected to ${plain(server)}; Ctrl-C ends.`);
    const onLost = () => terminal.note("The connection is lost. Connecting again.");
    for await (const event of client.live({ signal, onOpen, onLost })) {
      if (event.kind === "notification") tell(event.data);
    }
  });
  return EXIT.ok;
};

/** More than a stream repeats after a loss. */
const REMEMBERED_MAX = 1_000;

/** Returns a function that tells whether an id is new: a resumed stream may repeat a notification. */
function createRecollection(): (id: string) => boolean {
  const known = new Set<string>();
  return (id) => {
    if (known.has(id)) return false;
    known.add(id);
    // A set keeps insertion order.
    for (const oldest of known) {
      if (known.size <= REMEMBERED_MAX) break;
      known.delete(oldest);
    }
    return true;
  };
}
