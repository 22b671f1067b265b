import {
  DELIVERY_STATE_GROUPS,
  type Delivery,
  type DeliveryCounts,
  type DeliveryStateGroup,
  type DeliveryState,
} from "@tocsin/sdk";

/** The number of deliveries whose state is in a group. */
export interface GroupCount {
  readonly group: DeliveryStateGroup;
  readonly count: number;
}

const DISPLAY_ORDER: readonly DeliveryStateGroup[] = ["delivered", "waiting", "failed", "skipped"];

/** Returns the number of deliveries in each group of states, including zeros, in display order. */
export function countByGroup(counts: DeliveryCounts): readonly GroupCount[] {
  return DISPLAY_ORDER.map((group) => {
    const states = DELIVERY_STATE_GROUPS[group];
    return { group, count: states.reduce((sum, state) => sum + counts[state], 0) };
  });
}

/** Returns the number of devices that a notification was addressed to. */
export function countDevices(counts: DeliveryCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const FAILED_STATES: ReadonlySet<DeliveryState> = new Set(DELIVERY_STATE_GROUPS.failed);
const WAITING_STATES: ReadonlySet<DeliveryState> = new Set(DELIVERY_STATE_GROUPS.waiting);

/** Returns whether a delivery has failed permanently. */
export function hasFailed({ state }: Pick<Delivery, "state">): boolean {
  return FAILED_STATES.has(state);
}

/** Returns whether the outcome of a delivery is not final yet. */
export function isWaiting({ state }: Pick<Delivery, "state">): boolean {
  return WAITING_STATES.has(state);
}
