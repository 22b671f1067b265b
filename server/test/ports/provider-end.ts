import type { PushProviderName } from "#providers/provider.ts";
import { eventually } from "../support/eventually.ts";
import { createMessage, OPEN_SIGNAL } from "./provider-under-test.ts";
import { PROVIDER_STARTERS } from "./start-providers.ts";

/** Shorter than the time after which idle connections close by themselves. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Starts the provider named by the first argument, closes it while a message is pending, and waits until all connections
 * are closed. The process then ends by itself, unless the provider keeps it alive.
 */
async function closeAndWait(name: PushProviderName): Promise<void> {
  const cleanups: (() => unknown)[] = [];
  const { provider, clock, addPhone } = await PROVIDER_STARTERS[name]({
    after: (cleanup) => {
      // The providers under test need no context.
      if (cleanup !== undefined) cleanups.push(cleanup as () => unknown);
    },
  });
  await provider.send(createMessage(clock), addPhone().address, OPEN_SIGNAL);
  const phone = addPhone();
  phone.script({ kind: "hang" });
  const sending = provider.send(createMessage(clock), phone.address, OPEN_SIGNAL);
  await phone.waitForRequests(1);
  await provider.close();
  const closedAt = performance.now();
  await sending;
  await eventually(
    async () => process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap"),
    (sockets) => sockets.length === 0,
  );
  const durationMs = performance.now() - closedAt;
  if (durationMs > CLOSE_TIMEOUT_MS)
    throw new Error(`Connections stayed open for ${durationMs} ms.`);
  for (const cleanup of cleanups) await cleanup();
}

// The contract test that starts this program passes the name.
await closeAndWait(process.argv.at(-1) as PushProviderName);
