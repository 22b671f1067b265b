import type { AcceptDeps, Handover, HandoverResult } from "./accept.ts";
import { createBeginJob } from "./accept.ts";
import { acceptUnder, type ConditionalAccept } from "../store/accept-under.ts";
import type { Work } from "../delivery.ts";

/** A notification for another room's transaction to accept. Its devices were read before. */
export interface ConditionalHandover extends Pick<Handover, "extraRows" | "targets"> {
  readonly request: Omit<Handover["request"], "work" | "idempotency"> & {
    readonly work: Work | null;
  };
}

/** The acceptance of a notification by another room's transaction. */
export interface PreparedAccept {
  /** Each has an effect only if the condition of the transaction holds. */
  readonly statements: ConditionalAccept["statements"];
  /** Publishes the notification and begins its job; called once the transaction is committed and the condition held. */
  readonly begin: () => HandoverResult;
}

/**
 * Prepares the acceptance of a notification by another room's transaction. If the worker has capacity, the new job is
 * leased to this process, so that `begin` sends at once. If the process dies before, the job is claimed like any other.
 */
export function prepareAccept(
  deps: AcceptDeps & { readonly nodeId: string },
  handover: ConditionalHandover,
  condition: Parameters<typeof acceptUnder>[2]["condition"],
): PreparedAccept {
  const { context, worker, nodeId } = deps;
  const { request, extraRows, targets } = handover;
  const prepared = { ...request, extraRows, takeLease: worker.hasCapacity };
  const { statements, result } = acceptUnder(context, prepared, { owner: nodeId, condition });
  const beginJob = createBeginJob(deps, { request, targets, extraRows });
  return { statements, begin: () => beginJob(result) };
}
