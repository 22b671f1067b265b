import fc from "fast-check";
import type { NextStep } from "#delivery/store/delivery-store.ts";
import type { Interaction, Lane } from "#delivery/delivery.ts";
import { LEASE_MS } from "#delivery/lease.ts";

/** Services that jobs of a sequence wait for. */
export const SERVICES = ["apns production", "fcm"] as const;

/** An incident of a notification, with every column filled. */
export const INTERACTION: Interaction = {
  incidentId: "i",
  promptId: "p",
  cause: "ring",
  actions: [["ack", 'Say "yes"']],
  allowsText: true,
  isQuiet: true,
};

/** A random step. `index` selects one of the existing leases. */
export type Step =
  | { readonly kind: "accept"; readonly lane: Lane; readonly key: number; readonly content: number }
  | { readonly kind: "claim"; readonly lane: Lane; readonly max: number }
  | { readonly kind: "settle"; readonly index: number; readonly next: NextStep["kind"] }
  | { readonly kind: "renew" | "release"; readonly index: number }
  | { readonly kind: "recover" | "end leases ahead" | "make waiting due" }
  | { readonly kind: "reclaim"; readonly includesOwner: boolean }
  | { readonly kind: "release waiting" | "probe"; readonly service: string }
  | { readonly kind: "advance"; readonly ms: number };

const lane = fc.constantFrom<Lane>(0, 1, 2);
const index = fc.nat(30);
const service = fc.constantFrom(...SERVICES);

/** Random sequences of operations, crashes and clock changes. */
export const stepSequences: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("accept" as const), lane, key: fc.nat(5), content: fc.nat(1) }),
    fc.record({ kind: fc.constant("claim" as const), lane, max: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      kind: fc.constant("settle" as const),
      index,
      next: fc.constantFrom<NextStep["kind"]>("done", "checkpoint", "retry", "expand", "mark"),
    }),
    fc.record({ kind: fc.constantFrom("renew" as const, "release" as const), index }),
    fc.record({
      kind: fc.constantFrom(
        "recover" as const,
        "end leases ahead" as const,
        "make waiting due" as const,
      ),
    }),
    fc.record({ kind: fc.constant("reclaim" as const), includesOwner: fc.boolean() }),
    fc.record({ kind: fc.constantFrom("release waiting" as const, "probe" as const), service }),
    fc.record({
      kind: fc.constant("advance" as const),
      ms: fc.constantFrom(1, 1_000, LEASE_MS, LEASE_MS + 1, 86_400_000, -3_600_000),
    }),
  ),
  { minLength: 5, maxLength: 40 },
);
