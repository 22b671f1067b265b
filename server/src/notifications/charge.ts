/** An audience costs one further request per this many devices. */
const DEVICES_PER_REQUEST = 100;

/** The largest number of devices that cost no more than the request itself. */
export const FREE_DEVICES_MAX = DEVICES_PER_REQUEST - 1;

/** Charges a number of further requests to a sender; throws `rate_limited`. */
export type Charge = (requestCount: number) => void;

/** Returns the number of further requests that the devices of a send cost. */
export function countFurtherRequests(deviceCount: number): number {
  return Math.floor(deviceCount / DEVICES_PER_REQUEST);
}

/**
 * Returns a function that charges a request for the number of devices that it pushes to. If a later call has more
 * devices, because the change was attempted again, only the difference is charged.
 */
export function createDeviceCharge(charge: Charge): (deviceCount: number) => void {
  let paidCount = 0;
  return (deviceCount) => {
    const furtherCount = countFurtherRequests(deviceCount) - paidCount;
    if (furtherCount <= 0) return;
    charge(furtherCount);
    paidCount += furtherCount;
  };
}
