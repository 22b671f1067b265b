import type { Peers } from "../deps.ts";
import type { Breakers } from "../services/breakers.ts";
import type { DeliveryStore } from "../store/delivery-store.ts";

/** So many services are asked how they do. */
const SERVICES_MAX = 1_000;
/** So many jobs are made due to find one whose device asks: some may have ended meanwhile. */
export const PROBES_MAX = 8;

export interface RecoveryDeps {
  readonly store: DeliveryStore;
  readonly breakers: Breakers;
  readonly peers: Peers | null;
}

/**
 * Begins among others, who hold what they hold. Of what waits for a service, a few ask how it does: it may be back, or
 * its credentials mended with this start, and the first message that it accepts here wakes the rest.
 */
export async function recoverAtStart({ store, breakers, peers }: RecoveryDeps): Promise<void> {
  await store.endLeasesAhead();
  const services = await store.waitedFor(SERVICES_MAX);
  breakers.inherit(services);
  for (const service of services) await store.nudge(service, PROBES_MAX);
  if (services.length > 0) peers?.publishDue();
}
