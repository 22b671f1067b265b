import type { DatabaseContext } from "#context.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { findFetchedMessages } from "#apps/store/read.ts";
import type { EndedOrUnfinishedDelivery } from "./deliveries/store.ts";

/**
 * Returns the deliveries of a notification with the latest proofs of its connected apps. An app to which the message was
 * written may have proved later that it has the message. The mailbox has this proof, while results stay as they were
 * recorded.
 */
export async function addLaterProofs<Item extends EndedOrUnfinishedDelivery>(
  context: DatabaseContext,
  notificationId: string,
  deliveries: readonly Item[],
): Promise<readonly Item[]> {
  const deviceIds = deliveries.flatMap((item) =>
    item.kind === "ended" && isWritten(item) ? [item.result.deviceId] : [],
  );
  if (deviceIds.length === 0) return deliveries;
  const proofs = await findFetchedMessages(context, notificationId, deviceIds.slice(0, CHUNK_MAX));
  return deliveries.map((item) => {
    const proof = item.kind === "ended" ? proofs.get(item.result.deviceId) : undefined;
    if (item.kind !== "ended" || proof === undefined || !isWritten(item)) return item;
    return { ...item, result: { ...item.result, detail: proof.receipt, at: proof.at } };
  });
}

/** Returns whether the recorded proof is the weakest one, which a later proof replaces. */
function isWritten({ result }: Extract<EndedOrUnfinishedDelivery, { kind: "ended" }>): boolean {
  const { provider, state, detail } = result;
  return provider === "stream" && state === "accepted" && detail === "written";
}
