import type { ProviderName } from "#providers/provider.ts";
import { eventually } from "../support/eventually.ts";
import { createMessage, neverAborted } from "./provider-under-test.ts";
import { PROVIDER_STARTS } from "./start-providers.ts";

/** Idle connections would close by themselves only later than this. */
const CLOSE_MS = 2_000;

/**
 * Starts the provider named by the first argument, closes it while a message is pending, and waits until all connections
 * are closed. The process then ends by itself, unless the provider keeps it alive.
 */
async function run(name: ProviderName): Promise<void> {
  const cleanups: (() => unknown)[] = [];
  const { provider, clock, addPhone } = await PROVIDER_STARTS[name]({
    after: (cleanup) => {
      // The providers under test need no context.
      if (cleanup !== undefined) cleanups.push(cleanup as () => unknown);
    },
  });
  await provider.send(createMessage(clock), addPhone().address, neverAborted);
  const phone = addPhone();
  phone.script({ kind: "hang" });
  const sending = provider.send(createMessage(clock), phone.address, neverAborted);
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
  for (const cleanup of cleanups) await cleanup();
}

// The contract test that starts this program passes the name.
await run(process.argv.at(-1) as ProviderName);
