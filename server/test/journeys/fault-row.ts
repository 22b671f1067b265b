import type { OwnDevice } from "#devices/store/devices.ts";
import type { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import type { SimulatedDevice } from "../doubles/simulated-device.ts";
import type { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import type { FaultStage, World } from "./fault-stage.ts";

/** Objects that a row's steps act on. */
export interface RowContext<Phone> {
  readonly phone: Phone;
  readonly device: OwnDevice;
  readonly world: World;
  readonly stage: FaultStage;
  /** Sends this many messages to a healthy device of the same service; each must be accepted. */
  readonly sendToOthers: (count: number) => Promise<void>;
  /** Registers the device again with the same push token or subscription. */
  readonly registerAgain: () => Promise<void>;
}

type Step<Phone> = (context: RowContext<Phone>) => unknown;

/** One fault in a delivery to a device, and every expected effect. */
export interface FaultRow<Phone> {
  readonly behaviour: string;
  /** Creates the phone; a healthy one by default. */
  readonly createPhone?: (world: World, applicationServerKey: string) => Phone;
  /** Prepares the fault before the message is sent. */
  readonly arrange?: Step<Phone>;
  /** Runs after the first attempt. */
  readonly afterFirstAttempt?: Step<Phone>;
  /** Ends the fault after the delivery, so that the next row starts without faults. */
  readonly restore?: Step<Phone>;
  /** True if the fault affects every device of the service. */
  readonly isDown?: boolean;
  /** One day by default. */
  readonly ttlSeconds?: number;
  /** Minimum wait before the second attempt. */
  readonly waitMinMs?: number;
  readonly expected: Ending;
}

/** The outcome of a delivery and its observable effects. */
export interface Ending {
  /** The code of each wait, in order, such as `transient`; followed by `held` if the service was held meanwhile. */
  readonly waits: readonly string[];
  /** State and code, such as `gone device_gone`. */
  readonly end: string;
  readonly isKept: boolean;
  /** Number of requests for the device that reached its push service. */
  readonly requests: number;
  /** Number of notifications that the device showed. */
  readonly shown: number;
  /** Number of recorded attempts: an attempt that never reached the service, or that it refuses to every device, does not count. */
  readonly attempts: number;
}

export type ApnsRow = FaultRow<SimulatedIphone>;
export type FcmRow = FaultRow<SimulatedAndroid>;
export type WebPushRow = FaultRow<SimulatedDevice>;

/** Returns the ending of a message that arrives after the given waits. */
export function arrives(requests: number, ...waits: readonly string[]): Ending {
  const attempts = countAttempts(waits) + 1;
  return { waits, end: "accepted accepted", isKept: true, requests, shown: 1, attempts };
}

/** Returns the ending of a message that does not arrive, for a device that stays registered. */
export function fails(end: string, requests: number, ...waits: readonly string[]): Ending {
  const isAfterResponse =
    /^(?:rejected|failed)/u.test(end) || (end === EXPIRED && waits.length === 0);
  const attempts = countAttempts(waits) + (isAfterResponse ? 1 : 0);
  return { waits, end, isKept: true, requests, shown: 0, attempts };
}

/** Returns the ending for a device that is retired. */
export function retires(code: string, requests: number, ...waits: readonly string[]): Ending {
  const attempts = countAttempts(waits) + 1;
  return { waits, end: `gone ${code}`, isKept: false, requests, shown: 0, attempts };
}

const EXPIRED = "expired expired";
const UNCOUNTED_WAITS: ReadonlySet<string> = new Set([
  "unreachable",
  "provider_misconfigured held",
]);

function countAttempts(waits: readonly string[]): number {
  return waits.filter((wait) => !UNCOUNTED_WAITS.has(wait)).length;
}

/** Returns an array that holds the item `count` times. */
export function repeat<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}
