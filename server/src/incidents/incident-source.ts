import type { OrderSender } from "#notifications/order.ts";
import type { IncidentSource } from "./incident.ts";

/** Returns the source of the incidents that a sender opens. */
export function toIncidentSource({ keyId, sourceId }: OrderSender): IncidentSource {
  return { kind: keyId === null ? "account" : "key", id: sourceId };
}
