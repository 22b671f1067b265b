import type { Client, FeedItem } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { WATCH } from "../descriptions/session.ts";
import { toCommandError } from "../failure.ts";
import {
  createUnacknowledgedIncidents,
  type UnacknowledgedIncidents,
} from "../incident/unacknowledged-incidents.ts";
import { runInterruptibly } from "../interruption.ts";
import { readKeyPresses } from "../key-presses.ts";
import { formatNotification } from "../notification-line.ts";
import { createSignedInClient } from "../signed-in-client.ts";
import { sanitize, type Terminal } from "../terminal.ts";

/** Prints notifications as they arrive: `tocsin watch`. */
export const watchCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: WATCH.options });
  const { channel, json = false } = values;
  const { client, url: server } = await createSignedInClient(values, terminal);
  const isNew = createDuplicateFilter();
  const unacknowledged = createUnacknowledgedIncidents();
  const printItem = (item: FeedItem) => {
    if ((channel !== undefined && item.channel !== channel) || !isNew(item.id)) return;
    if (json) return terminal.printJsonLine(item);
    terminal.print(formatNotification(item, terminal.style));
    unacknowledged.add(item);
  };
  const onKey = (key: string) => {
    if (key === "a") void acknowledgeNewest({ client, terminal, unacknowledged });
  };
  const stopReadingKeys = json ? null : readKeyPresses(onKey);
  const hint = stopReadingKeys === null ? "" : ACKNOWLEDGE_HINT;
  const watch = async (interruption: AbortSignal) => {
    const signal = AbortSignal.any([interruption, terminal.outputClosed]);
    const onOpen = () =>
      terminal.printNote(`Connected to ${sanitize(server)}; ${hint}Ctrl-C ends.`);
    const onLost = () => terminal.printNote("The connection is lost. Connecting again.");
    for await (const event of client.live({ signal, onOpen, onLost })) {
      if (event.kind === "notification") printItem(event.data);
      if (event.kind === "incident") unacknowledged.update(event.data.incidentId, event.data.state);
    }
  };
  await runInterruptibly(watch).finally(stopReadingKeys);
  return EXIT.ok;
};

const ACKNOWLEDGE_HINT = "a acknowledges the newest open incident, ";

interface AcknowledgeDeps {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly unacknowledged: UnacknowledgedIncidents;
}

/** Acknowledges the newest unacknowledged incident on the screen, and prints the result. */
async function acknowledgeNewest({
  client,
  terminal,
  unacknowledged,
}: AcknowledgeDeps): Promise<void> {
  const incident = unacknowledged.removeNewest();
  if (incident === null) return terminal.printNote("No incident here waits to be acknowledged.");
  const title = sanitize(incident.title);
  try {
    const { message } = await client.incidents.acknowledge(incident.id);
    terminal.printNote(`${title}: ${sanitize(message)}`);
  } catch (error) {
    unacknowledged.restore(incident);
    const refusal = toCommandError(error);
    if (refusal === null) throw error;
    terminal.printNote(`${title} is not acknowledged. ${refusal.message}`);
  }
}

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
