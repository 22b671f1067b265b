import type { ProviderName } from "#providers/provider.ts";
import { eventually } from "../support/eventually.ts";
import { messageFor, never } from "./provider-under-test.ts";
import { STARTS } from "./start-providers.ts";

/** A connection that is left alone would close by itself later than this. */
const CLOSE_MS = 2_000;

/**
 * Starts the provider that the first argument names, closes it while a message is under way, and waits until no
 * connection is left. The process then ends by itself, unless something of the provider keeps it.
 */
async function run(name: ProviderName): Promise<void> {
  const ends: (() => unknown)[] = [];
  const { provider, clock, addPhone } = await STARTS[name]({
    after: (end) => {
      // The providers under test need no context.
      if (end !== undefined) ends.push(end as () => unknown);
    },
  });
  await provider.send(messageFor(clock), addPhone().address, never);
  const phone = addPhone();
  phone.plan({ kind: "hang" });
  const sending = provider.send(messageFor(clock), phone.address, never);
  await phone.received(1);
  await provider.close();
  const closedAt = performance.now();
  await sending;
  await eventually(
    async () => process.getActiveResourcesInfo().filter((it) => it === "TCPSocketWrap"),
    (sockets) => sockets.length === 0,
  );
  const tookMs = performance.now() - closedAt;
  if (tookMs > CLOSE_MS) throw new Error(`Connections stayed open for ${tookMs} ms.`);
  for (const end of ends) await end();
}

// The name comes from the law that starts this program.
await run(process.argv.at(-1) as ProviderName);
