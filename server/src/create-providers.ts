import { createApnsProvider } from "#providers/apns/apns.ts";
import { createFcmProvider } from "#providers/fcm/fcm.ts";
import type { Provider } from "#providers/provider.ts";
import type { VapidKeys } from "#providers/webpush/vapid-keys.ts";
import { checkSubjectForApple } from "#providers/webpush/vapid-subject.ts";
import { createWebPushProvider } from "#providers/webpush/webpush.ts";
import type { Config } from "./config.ts";
import type { AppOptions } from "./rooms.ts";

/** What providers are made of. */
export interface ProviderOptions extends Pick<
  AppOptions,
  "now" | "random" | "webPush" | "apns" | "fcm"
> {
  readonly config: Pick<
    Config,
    "baseUrl" | "vapidSubject" | "webPush" | "apns" | "fcm" | "http2Client"
  >;
}

/** Returns the providers that this server has credentials for; Web Push needs none but its own. */
export function createProviders(options: ProviderOptions, vapid: VapidKeys): readonly Provider[] {
  const { config, now, random } = options;
  const { apns, fcm, http2Client } = config;
  const common = { http2Client, now, random };
  const providers = [createWebPush(options, vapid)];
  if (apns !== null) providers.push(createApnsProvider({ ...apns, ...common, ...options.apns }));
  if (fcm !== null) providers.push(createFcmProvider({ ...fcm, ...common, ...options.fcm }));
  return providers;
}

/** Tells the operator where some devices cannot be reached, as the server is configured. */
export function warnOfUnreachable({ config, log }: Pick<AppOptions, "config" | "log">): void {
  const verdict = checkSubjectForApple(config.vapidSubject);
  if (verdict.ok) return;
  const mend = "Set TOCSIN_BASE_URL to a public https address, or TOCSIN_VAPID_SUBJECT.";
  log.warn({ reason: verdict.message, mend }, "iPhones and Safari cannot be reached by Web Push");
}

function createWebPush({ config, now, webPush }: ProviderOptions, vapid: VapidKeys): Provider {
  const { baseUrl, vapidSubject: subject, webPush: policy } = config;
  return createWebPushProvider({ vapid, subject, baseUrl, policy, now, ...webPush });
}
