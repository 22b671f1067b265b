import type { IdempotencyRecord } from "#delivery/store/delivery-store.ts";
import { hashContent, sha256 } from "#notifications/content-hash.ts";
import type { SendOrder } from "#notifications/order.ts";

/**
 * Returns the idempotency record of an order; null if it has no idempotency key. The hash of the content also covers the
 * fields about incidents and prompts.
 */
export function createOrderIdempotency({
  sender,
  parameters,
  interaction,
  audience,
}: SendOrder): IdempotencyRecord | null {
  const { draft, ttlSeconds, idempotencyKey } = parameters;
  if (idempotencyKey === null) return null;
  const { sourceId, keyId } = sender;
  const content = hashContent({ audience, draft, ttlSeconds });
  return {
    keyId: sourceId,
    ...(keyId === null || keyId === sourceId ? {} : { laterKeyId: keyId }),
    keyHash: sha256(idempotencyKey),
    contentHash: sha256(`${content} ${JSON.stringify(interaction)}`),
  };
}
