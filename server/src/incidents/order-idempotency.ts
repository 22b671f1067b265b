import type { Idempotency } from "#delivery/store/delivery-store.ts";
import { hashContent, sha256 } from "#notifications/content-hash.ts";
import type { SendOrder } from "#notifications/order.ts";

/**
 * Returns the identity of an order among repetitions; null without an idempotency key. Its hash covers the fields that
 * ask for an act, too.
 */
export function createOrderIdempotency({
  sender,
  parameters,
  acting,
  audience,
}: SendOrder): Idempotency | null {
  const { draft, ttlSeconds, idempotencyKey } = parameters;
  if (idempotencyKey === null) return null;
  const { sourceId, keyId } = sender;
  const content = hashContent({ audience, draft, ttlSeconds });
  return {
    keyId: sourceId,
    ...(keyId === null || keyId === sourceId ? {} : { laterKeyId: keyId }),
    keyHash: sha256(idempotencyKey),
    contentHash: sha256(`${content} ${JSON.stringify(acting)}`),
  };
}
