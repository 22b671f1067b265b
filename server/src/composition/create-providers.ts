import { createApnsProvider } from "#providers/apns/apns.ts";
import { createFcmProvider } from "#providers/fcm/fcm.ts";
import type { Provider, PushProviderName } from "#providers/provider.ts";
import type { FindContact, VapidKeys } from "#providers/webpush/vapid-tokens.ts";
import { checkSubjectForApple } from "#providers/webpush/vapid-subject.ts";
import { createWebPushProvider } from "#providers/webpush/webpush.ts";
import type { Config } from "#config/config.ts";
import type { AppOptions } from "./rooms.ts";

/** The settings, the clocks, the random numbers and the substitute services that providers are created with. */
export interface ProviderOptions extends Pick<
  AppOptions,
  "now" | "elapsed" | "random" | "webPush" | "apns" | "fcm"
> {
  readonly config: Pick<Config, "baseUrl" | "webPush" | "apns" | "fcm">;
}

/** This server's identity for the push services of browsers. */
export interface WebPushIdentity {
  readonly vapid: VapidKeys;
  readonly getContact: FindContact;
}

/** Returns the providers that this server has credentials for. Web Push needs only the server's own key pair. */
export function createProviders(
  options: ProviderOptions,
  identity: WebPushIdentity,
): readonly Provider[] {
  const { config, now, elapsed, random } = options;
  const { apns, fcm } = config;
  const common = { now, elapsed, random };
  const providers: Readonly<Record<PushProviderName, Provider | null>> = {
    webpush: createWebPush(options, identity),
    apns: apns === null ? null : createApnsProvider({ ...apns, ...common, ...options.apns }),
    fcm: fcm === null ? null : createFcmProvider({ ...fcm, ...common, ...options.fcm }),
  };
  return Object.values(providers).filter((provider) => provider !== null);
}

/** Warns the operator if some devices cannot be reached. Without an administrator there are no devices yet. */
export async function warnOfUnreachableDevices(
  { log }: Pick<AppOptions, "log">,
  getContact: FindContact,
): Promise<void> {
  const subject = await getContact();
  const check = checkSubjectForApple(subject);
  if (subject === null || check.ok) return;
  const remedy = "Set TOCSIN_BASE_URL to a public https address, or TOCSIN_VAPID_SUBJECT.";
  const fields = { reason: check.message, mend: remedy };
  log.warn(fields, "iPhones and Safari cannot be reached by Web Push");
}

function createWebPush(
  { config, now, elapsed, webPush }: ProviderOptions,
  { vapid, getContact }: WebPushIdentity,
): Provider {
  const { baseUrl, webPush: policy } = config;
  return createWebPushProvider({
    vapid,
    findContact: getContact,
    baseUrl,
    policy,
    now,
    elapsed,
    ...webPush,
  });
}
