import { createApnsProvider } from "#providers/apns/apns.ts";
import { createFcmProvider } from "#providers/fcm/fcm.ts";
import type { Provider } from "#providers/provider.ts";
import type { VapidKeys } from "#providers/webpush/vapid-keys.ts";
import { checkSubjectForApple } from "#providers/webpush/vapid-subject.ts";
import { createWebPushProvider } from "#providers/webpush/webpush.ts";
import type { AppOptions } from "./rooms.ts";

/** Returns the providers that this server has credentials for; Web Push needs none but its own. */
export function createProviders(options: AppOptions, vapid: VapidKeys): readonly Provider[] {
  const { config, now, random } = options;
  const { apns, fcm } = config;
  const providers = [createWebPush(options, vapid)];
  if (apns !== null) providers.push(createApnsProvider({ ...apns, now, random, ...options.apns }));
  if (fcm !== null) providers.push(createFcmProvider({ ...fcm, now, random, ...options.fcm }));
  return providers;
}

function createWebPush({ config, log, now, webPush }: AppOptions, vapid: VapidKeys): Provider {
  const { baseUrl, vapidSubject: subject, webPush: policy } = config;
  const verdict = checkSubjectForApple(subject);
  if (!verdict.ok) {
    const mend = "Set TOCSIN_BASE_URL to a public https address, or TOCSIN_VAPID_SUBJECT.";
    log.warn({ reason: verdict.message, mend }, "iPhones and Safari cannot be reached by Web Push");
  }
  return createWebPushProvider({ vapid, subject, baseUrl, policy, now, ...webPush });
}
