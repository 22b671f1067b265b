import type { DeliveryState } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";
import type { Address, ProviderName } from "#providers/provider.ts";

/** The platform of a device: the system of a phone, or a browser. */
export type Platform = "ios" | "android" | "web";

/** A device of an account that has not been retired. All times are milliseconds since the epoch. */
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

/** A device as a delivery uses it. All times are milliseconds since the epoch. */
export interface Target {
  readonly deviceId: string;
  readonly accountId: string;
  readonly provider: ProviderName;
  readonly address: Address;
  readonly name: string;
  /** When the app last registered this address. Older reports that the address is gone are ignored. */
  readonly registeredAt: number;
  readonly pausedAt: number | null;
  /** When a push service first suspected the address; null if none did since the last acceptance or registration. */
  readonly suspectAt: number | null;
}

/** The maximum number of live devices per account. */
export const DEVICES_MAX = 100;

/** The maximum number of devices or accounts in one call of a store function. */
const BATCH_SIZE_MAX = 500;

/** The maximum length of the name of a device or group, in UTF-16 code units. */
export const NAME_LENGTH_MAX = 80;

/**
 * Returns a name of 1 to 80 UTF-16 code units, trimmed and without control characters and lone surrogates. Throws
 * `invalid_field` for any other length.
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
export function requireReachablePlatform(platform: Platform, provider: ProviderName): void {
  const platforms = PLATFORMS_BY_PROVIDER[provider];
  if (platforms.includes(platform)) return;
  throw invalidField("platform", `platform must be ${platforms.join(" or ")} with ${provider}.`);
}

/** Throws a `RangeError` for more than 500 items: the caller must split them into batches. */
export function requireBatchSize(items: readonly unknown[]): void {
  if (items.length > BATCH_SIZE_MAX) {
    throw new RangeError(`A batch has at most ${BATCH_SIZE_MAX} items, not ${items.length}.`);
  }
}

/**
 * The platforms that each provider reaches. Our messages to Firebase are for Android apps. Web Push also reaches
 * UnifiedPush and Home Screen apps. Connected apps run anywhere.
 */
const PLATFORMS_BY_PROVIDER: Readonly<Record<ProviderName, readonly Platform[]>> = {
  apns: ["ios"],
  fcm: ["android"],
  webpush: ["web", "ios", "android"],
  stream: ["ios", "android", "web"],
};
