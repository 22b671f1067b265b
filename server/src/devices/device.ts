import type { DeliveryState } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";
import type { Address, ProviderName } from "#providers/provider.ts";

/** The system of a device. */
export type Platform = "ios" | "android" | "web";

/** A device of an account that has not been retired; all moments are milliseconds since the epoch. */
export interface Device {
  readonly id: string;
  readonly name: string;
  readonly platform: Platform;
  readonly address: Address;
  readonly createdAt: number;
  readonly registeredAt: number;
  readonly pausedAt: number | null;
  readonly lastState: DeliveryState | null;
  readonly lastStateAt: number | null;
}

/** A device as a delivery sees it; all moments are milliseconds since the epoch. */
export interface Target {
  readonly deviceId: string;
  readonly accountId: string;
  readonly provider: ProviderName;
  readonly address: Address;
  readonly name: string;
  /** When the app last registered this address; older "gone" answers do not count. */
  readonly registeredAt: number;
  readonly pausedAt: number | null;
  /** When a push service first suspected the address; null since the last acceptance or registration. */
  readonly suspectAt: number | null;
  /** The device's position in its audience's order; ranges begin and end at positions. */
  readonly position: string;
}

/** An account has at most this many devices at a time. */
export const DEVICES_MAX = 100;

/** A store function takes at most this many devices or accounts at once. */
const BATCH_MAX = 500;

/** The name of a device or group holds at most this many characters. */
export const NAME_LENGTH_MAX = 80;

/**
 * Returns a name of 1 to 80 characters, without control characters and lone surrogates; throws
 * `invalid_field`.
 */
export function parseName(text: string): string {
  const name = text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
  if (name === "" || name.length > NAME_LENGTH_MAX) {
    throw invalidField("name", `name must have 1 to ${NAME_LENGTH_MAX} characters.`);
  }
  return name;
}

/** Throws `invalid_field` if the provider cannot reach the platform's apps. */
export function requireReach(platform: Platform, provider: ProviderName): void {
  const reached = REACHES[provider];
  if (reached.includes(platform)) return;
  throw invalidField("platform", `platform must be ${reached.join(" or ")} with ${provider}.`);
}

/** Throws if a store function gets more than 500 items at once: its caller must page. */
export function requireBatch(items: readonly unknown[]): void {
  if (items.length > BATCH_MAX) {
    throw new RangeError(`At most ${BATCH_MAX} at once, not ${items.length}.`);
  }
}

/** Our messages to Firebase are made for Android apps. Web Push also reaches UnifiedPush and Home Screen apps. */
const REACHES: Readonly<Record<ProviderName, readonly Platform[]>> = {
  apns: ["ios"],
  fcm: ["android"],
  webpush: ["web", "ios", "android"],
};
