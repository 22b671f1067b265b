import type { QueueSharing } from "../deps.ts";
import type { Breakers } from "../services/breakers.ts";
import type { DeliveryStore } from "../store/delivery-store.ts";

/** Maximum number of services that are probed at startup. */
const SERVICES_MAX = 1_000;
/** Number of jobs that become due as probes of one service, because some may have ended meanwhile. */
export const PROBES_MAX = 8;

/** The store, the breakers and the other processes that recovery at startup needs. */
export interface RecoveryDeps {
  readonly store: DeliveryStore;
  readonly breakers: Breakers;
  readonly sharing: QueueSharing | null;
}

/**
 * Makes a few jobs due as half-open probes of each service that jobs wait for. The service may have recovered, or this
 * start may have corrected its credentials. Its first acceptance in this process releases the other jobs. Also ends
 * leases that last longer than a lease can, but no other lease of another node. Called again after the death of a node.
 */
export async function recoverAtStart({ store, breakers, sharing }: RecoveryDeps): Promise<void> {
  await store.endOverlongLeases();
  const services = await store.listAwaitedServices(SERVICES_MAX);
  breakers.inheritServices(services);
  for (const service of services) await store.makeProbesDue(service, PROBES_MAX);
  if (services.length > 0) sharing?.publishJobsDue();
}
