/** An audience costs one further request per this many devices. */
const DEVICES_PER_REQUEST = 100;

/** The largest number of devices that cost no more than the request itself. */
export const FREE_DEVICES_MAX = DEVICES_PER_REQUEST - 1;

/** Charges a sender for the number of devices that a request pushes to; throws `rate_limited`. */
export type DeviceCharge = (deviceCount: number) => void;

/** Returns the number of further requests that the devices of a send cost. */
export function countFurtherRequests(deviceCount: number): number {
  return Math.floor(deviceCount / DEVICES_PER_REQUEST);
}

/**
 * Returns a function that charges the further requests of one request to its sender. A later call, because the request
 * was attempted again or in another way, is charged only for what it costs more than the earlier ones.
 */
export function createDeviceCharge(charge: (requestCount: number) => void): DeviceCharge {
  let paidCount = 0;
  return (deviceCount) => {
    const furtherCount = countFurtherRequests(deviceCount) - paidCount;
    if (furtherCount <= 0) return;
    charge(furtherCount);
    paidCount += furtherCount;
  };
}
