import type { ProviderName } from "#providers/provider.ts";
import { startApns } from "./apns-under-test.ts";
import { startFcm } from "./fcm-under-test.ts";
import type { StartProvider } from "./provider-under-test.ts";
import { startWebPush } from "./webpush-under-test.ts";

/** How each provider is started before its push service. */
export const STARTS: Readonly<Record<ProviderName, StartProvider>> = {
  apns: startApns,
  fcm: startFcm,
  webpush: startWebPush,
};
