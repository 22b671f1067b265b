import type { OwnedDevice } from "#devices/store/devices.ts";
import type { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import type { SimulatedDevice } from "../doubles/simulated-device.ts";
import type { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import type { FaultFixture, FaultServices } from "./fault-fixture.ts";

/** The objects that the actions of a row use. `Phone` is a simulated iPhone, Android phone or browser. */
export interface RowContext<Phone> {
  readonly phone: Phone;
  readonly device: OwnedDevice;
  readonly services: FaultServices;
  readonly fixture: FaultFixture;
  /** Sends this many messages to a healthy device of the same service; each must be accepted. */
  readonly sendToOthers: (count: number) => Promise<void>;
  /** Registers the device again with the same push token or subscription. */
  readonly registerAgain: () => Promise<void>;
}

type FaultAction<Phone> = (context: RowContext<Phone>) => unknown;

/** One fault in a delivery to a device, and every expected effect. */
export interface FaultRow<Phone> {
  /** The behaviour of the service or the owner; unique in the table of the provider. */
  readonly behaviour: string;
  /** Creates the phone; a healthy one by default. */
  readonly createPhone?: (services: FaultServices, applicationServerKey: string) => Phone;
  /** Prepares the fault before the message is sent. */
  readonly arrange?: FaultAction<Phone>;
  /** Runs after the first attempt, if a retry is pending. */
  readonly afterFirstAttempt?: FaultAction<Phone>;
  /** Ends the fault after the delivery, so that the next row starts without faults. */
  readonly restore?: FaultAction<Phone>;
  /** True if the fault affects every device of the service. */
  readonly affectsEveryDevice?: boolean;
  /** One day by default. */
  readonly ttlSeconds?: number;
  /** Minimum wait before the second attempt. */
  readonly waitMinMs?: number;
  readonly expected: DeliveryEffects;
}

/** The outcome of a delivery and its observable effects. */
export interface DeliveryEffects {
  /**
   * The code of each wait, in order, such as `transient`. A wait during which the service was held or suspected has
   * `held` after its code.
   */
  readonly waitCodes: readonly string[];
  /** State and code, such as `gone device_gone`. */
  readonly outcome: string;
  /** True if the account still has the device. */
  readonly isRegistered: boolean;
  /** Number of requests for the device that reached the push service. */
  readonly requestCount: number;
  /** Number of notifications that the device showed. */
  readonly shownCount: number;
  /**
   * Number of recorded attempts. Attempts that never reached the service, or that it refused because of our
   * credentials, do not count.
   */
  readonly attemptCount: number;
}

/** A fault in a delivery to an iPhone. */
export type ApnsRow = FaultRow<SimulatedIphone>;
/** A fault in a delivery to an Android phone. */
export type FcmRow = FaultRow<SimulatedAndroid>;
/** A fault in a delivery to a browser. */
export type WebPushRow = FaultRow<SimulatedDevice>;

/**
 * Returns the effects of a message that the service accepts at the last of `requestCount` requests, after the given
 * waits.
 */
export function arrives(requestCount: number, ...waitCodes: readonly string[]): DeliveryEffects {
  const attemptCount = countAttempts(waitCodes) + 1;
  return {
    waitCodes,
    outcome: "accepted accepted",
    isRegistered: true,
    requestCount,
    shownCount: 1,
    attemptCount,
  };
}

/** Returns the effects of a message that does not arrive, for a device that stays registered. */
export function fails(
  outcome: string,
  requestCount: number,
  ...waitCodes: readonly string[]
): DeliveryEffects {
  // A rejection or failure is itself a recorded attempt, and so is an expiry that the service reports at once.
  const isRecordedAttempt =
    /^(?:rejected|failed)/u.test(outcome) || (outcome === EXPIRED && waitCodes.length === 0);
  const attemptCount = countAttempts(waitCodes) + (isRecordedAttempt ? 1 : 0);
  return {
    waitCodes,
    outcome,
    isRegistered: true,
    requestCount,
    shownCount: 0,
    attemptCount,
  };
}

/** Returns the effects of a message that retires its device. */
export function retires(
  code: string,
  requestCount: number,
  ...waitCodes: readonly string[]
): DeliveryEffects {
  const attemptCount = countAttempts(waitCodes) + 1;
  return {
    waitCodes,
    outcome: `gone ${code}`,
    isRegistered: false,
    requestCount,
    shownCount: 0,
    attemptCount,
  };
}

const EXPIRED = "expired expired";
const UNCOUNTED_WAITS: ReadonlySet<string> = new Set([
  "unreachable",
  "provider_misconfigured held",
]);

function countAttempts(waitCodes: readonly string[]): number {
  return waitCodes.filter((code) => !UNCOUNTED_WAITS.has(code)).length;
}

/** Returns an array that holds the item `count` times. */
export function repeat<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}
