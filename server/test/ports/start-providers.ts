import type { PushProviderName } from "#providers/provider.ts";
import { startApns } from "./apns-under-test.ts";
import { startFcm } from "./fcm-under-test.ts";
import type { StartProvider } from "./provider-under-test.ts";
import { startWebPush } from "./webpush-under-test.ts";

/** Functions that start each provider with a double of its push service. */
export const PROVIDER_STARTERS: Readonly<Record<PushProviderName, StartProvider>> = {
  apns: startApns,
  fcm: startFcm,
  webpush: startWebPush,
};
