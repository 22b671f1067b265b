import { createPrivateKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { Provider } from "#providers/provider.ts";
import type { VapidKeys } from "#providers/webpush/vapid-keys.ts";
import type { ApnsConfig, FcmConfig } from "#config/push.ts";
import { createProviders, type ProviderOptions, type WebPushSender } from "./create-providers.ts";

/** Settings for the providers of another process, in a form that goes over a pipe: keys are in PEM. */
export interface SoloSettings {
  readonly vapid: VapidKeys;
  /** The contact when the process starts, which lives for seconds. */
  readonly contact: string | null;
  readonly config: Omit<ProviderOptions["config"], "apns" | "fcm"> & {
    readonly apns: (Omit<ApnsConfig, "key"> & { readonly key: string }) | null;
    readonly fcm: (Omit<FcmConfig, "credentials"> & { readonly credentials: PemAccount }) | null;
  };
  readonly webPush: Pick<NonNullable<ProviderOptions["webPush"]>, "ca" | "requestTimeoutMs">;
  readonly apns: NonNullable<ProviderOptions["apns"]>;
  readonly fcm: NonNullable<ProviderOptions["fcm"]>;
}

type PemAccount = Omit<FcmConfig["credentials"], "privateKey"> & { readonly privateKey: string };

/** Packs the settings of this process's providers, without the functions that only tests set. */
export async function packSettings(
  options: ProviderOptions,
  { vapid, contact }: WebPushSender,
): Promise<SoloSettings> {
  const { baseUrl, webPush, apns, fcm } = options.config;
  const { ca, requestTimeoutMs } = options.webPush ?? {};
  return {
    vapid,
    contact: await contact(),
    config: {
      baseUrl,
      webPush,
      apns: apns === null ? null : { ...apns, key: pemOf(apns.key) },
      fcm: fcm === null ? null : { ...fcm, credentials: packAccount(fcm.credentials) },
    },
    webPush: { ca, ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }) },
    apns: options.apns ?? {},
    fcm: options.fcm ?? {},
  };
}

/** Creates the providers from the result of `packSettings`. */
export function createPackedProviders(
  { vapid, contact, config, ...special }: SoloSettings,
  { now, elapsed, random }: Pick<ProviderOptions, "now" | "elapsed" | "random">,
): readonly Provider[] {
  const { apns, fcm } = config;
  const unpacked = {
    ...config,
    apns: apns === null ? null : { ...apns, key: createPrivateKey(apns.key) },
    fcm: fcm === null ? null : { ...fcm, credentials: unpackAccount(fcm.credentials) },
  };
  const sender = { vapid, contact: async () => contact };
  return createProviders({ config: unpacked, now, elapsed, random, ...special }, sender);
}

function packAccount(account: FcmConfig["credentials"]): PemAccount {
  return { ...account, privateKey: pemOf(account.privateKey) };
}

function unpackAccount(account: PemAccount): FcmConfig["credentials"] {
  return { ...account, privateKey: createPrivateKey(account.privateKey) };
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" });
}
