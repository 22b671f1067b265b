import type { OwnDevice } from "#devices/store/devices.ts";
import type { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import type { SimulatedDevice } from "../doubles/simulated-device.ts";
import type { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import type { FaultStage, World } from "./fault-stage.ts";

/** The environment of a row's device. */
export interface Place<Phone> {
  readonly phone: Phone;
  readonly device: OwnDevice;
  readonly world: World;
  readonly stage: FaultStage;
  /** Sends so many messages to a device that is well, behind the same service; each must be accepted. */
  readonly sendToOthers: (count: number) => Promise<void>;
  /** Registers the device again with the address it has. */
  readonly registerAgain: () => Promise<void>;
}

type Act<Phone> = (place: Place<Phone>) => unknown;

/** One thing that goes wrong on the way to a device, and everything that must come of it. */
export interface FaultRow<Phone> {
  readonly behaviour: string;
  /** Sets the phone up; one that is well if not given. */
  readonly make?: (world: World, applicationServerKey: string) => Phone;
  /** Sets the trap before the message is sent. */
  readonly arrange?: Act<Phone>;
  /** Done after the first attempt. */
  readonly meanwhile?: Act<Phone>;
  /** Done when all is over, so that the next row finds a world that is well. */
  readonly restore?: Act<Phone>;
  /** The service is of no use to others meanwhile. */
  readonly isDown?: boolean;
  /** A day if not given. */
  readonly ttlSeconds?: number;
  /** The wait before the second attempt is at least so long. */
  readonly leastWaitMs?: number;
  readonly comesTo: Ending;
}

export interface Ending {
  /** The code of each wait in between, in order: `transient`, and with `held` the service takes nothing meanwhile. */
  readonly waits: readonly string[];
  /** State and code: `gone device_gone`. */
  readonly end: string;
  readonly isKept: boolean;
  /** How many requests for the device reached its push service. */
  readonly requests: number;
  /** How many notifications the person sees. */
  readonly shown: number;
  /** How many attempts the record tells of: those that a service never saw, or refused to all, do not count. */
  readonly attempts: number;
}

export type ApnsRow = FaultRow<SimulatedIphone>;
export type FcmRow = FaultRow<SimulatedAndroid>;
export type WebPushRow = FaultRow<SimulatedDevice>;

/** Returns the ending of a message that arrives after these waits. */
export function arrives(requests: number, ...waits: readonly string[]): Ending {
  const attempts = countedOf(waits) + 1;
  return { waits, end: "accepted accepted", isKept: true, requests, shown: 1, attempts };
}

/** Returns the ending of a message that does not arrive, at a device that stays. */
export function fails(end: string, requests: number, ...waits: readonly string[]): Ending {
  const isByAnswer = /^(?:rejected|failed)/u.test(end) || (end === EXPIRED && waits.length === 0);
  const attempts = countedOf(waits) + (isByAnswer ? 1 : 0);
  return { waits, end, isKept: true, requests, shown: 0, attempts };
}

/** Returns the ending at a device that is retired. */
export function retires(code: string, requests: number, ...waits: readonly string[]): Ending {
  const attempts = countedOf(waits) + 1;
  return { waits, end: `gone ${code}`, isKept: false, requests, shown: 0, attempts };
}

const EXPIRED = "expired expired";
const UNCOUNTED: ReadonlySet<string> = new Set(["unreachable", "provider_misconfigured held"]);

function countedOf(waits: readonly string[]): number {
  return waits.filter((said) => !UNCOUNTED.has(said)).length;
}

/** Returns so many times the same. */
export function times<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}
