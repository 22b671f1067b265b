import type { TestContext } from "node:test";
import type { Device } from "@tocsin/sdk";
import { ApnsService } from "../doubles/apns/apns-service.ts";
import { generateProviderKey } from "../doubles/apns/provider-key.ts";
import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { FcmService } from "../doubles/fcm/fcm-service.ts";
import { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { PushService } from "../doubles/push-service.ts";
import { startApp, type TestApp, type TestAppOptions, type TestPerson } from "./app.ts";

/** The push services of native apps on this machine, and the settings with which a server uses them. */
export interface NativeServices {
  readonly apns: ApnsService;
  readonly apnsSandbox: ApnsService;
  readonly fcm: FcmService;
  /** `TOCSIN_…` variables with their URLs and valid credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** The trusted certificates, for the options of the app. */
  readonly certificateOptions: {
    readonly apns: { readonly ca: string };
    readonly fcm: { readonly ca: string };
  };
}

/** Options of `startNativeApp`. */
export interface NativeAppOptions extends Omit<TestAppOptions, "apns" | "fcm"> {
  /** The services of an earlier run. */
  readonly services?: NativeServices;
}

/** A complete server with credentials for every provider. */
export interface NativeApp extends TestApp {
  readonly services: NativeServices;
  readonly apns: ApnsService;
  readonly apnsSandbox: ApnsService;
  readonly fcm: FcmService;
}

/** The id of the team that owns the provider key. */
export const TEAM_ID = "DEF123GHIJ";
/** The bundle id of our app. */
export const TOPIC = "org.example.tocsin";
/** The bundle id of another app of the same team. */
export const OTHER_TOPIC = "org.example.other";

/** Starts the real server with push services for iPhones, Android phones and browsers. Everything stops with the test. */
export async function startNativeApp(
  test: TestContext,
  { services: earlierServices, ...options }: NativeAppOptions = {},
): Promise<NativeApp> {
  const clock = options.now === undefined ? {} : { now: options.now };
  const push = options.push ?? (await startPushServiceWithClock(test, clock));
  const services = earlierServices ?? (await startNativeServices(test, clock));
  const { apns, apnsSandbox, fcm } = services;
  const environment = { ...services.environment, ...options.environment };
  const app = await startApp(test, {
    ...options,
    ...services.certificateOptions,
    push,
    environment,
  });
  return { ...app, services, apns, apnsSandbox, fcm };
}

/** Starts both of Apple's environments, and Firebase with Google's token endpoint. They stop with the test. */
export async function startNativeServices(
  test: TestContext,
  clock: { readonly now?: () => number } = {},
): Promise<NativeServices> {
  const { privateKey, ...key } = generateProviderKey();
  const commonOptions = {
    teamId: TEAM_ID,
    keys: [key],
    topics: [TOPIC, OTHER_TOPIC],
    ...clock,
  } as const;
  const apns = await ApnsService.start({ ...commonOptions, environment: "production" });
  test.after(() => apns.close());
  const apnsSandbox = await ApnsService.start({ ...commonOptions, environment: "sandbox" });
  test.after(() => apnsSandbox.close());
  const fcm = await FcmService.start({ audience: "own", ...clock });
  test.after(() => fcm.close());
  return {
    apns,
    apnsSandbox,
    fcm,
    environment: {
      TOCSIN_APNS_KEY: privateKey,
      TOCSIN_APNS_KEY_ID: key.keyId,
      TOCSIN_APNS_TEAM_ID: TEAM_ID,
      TOCSIN_APNS_TOPIC: TOPIC,
      TOCSIN_APNS_URL: apns.origin,
      TOCSIN_APNS_SANDBOX_URL: apnsSandbox.origin,
      TOCSIN_FCM_CREDENTIALS: fcm.credentials,
      TOCSIN_FCM_URL: fcm.origin,
      TOCSIN_FCM_TOKEN_URL: fcm.tokenUrl,
    },
    certificateOptions: { apns: { ca: `${apns.ca}\n${apnsSandbox.ca}` }, fcm: { ca: fcm.ca } },
  };
}

async function startPushServiceWithClock(
  test: TestContext,
  clock: { readonly now?: () => number },
): Promise<PushService> {
  const push = await PushService.start(clock);
  test.after(() => push.close());
  return push;
}

/** Adds an iPhone with our app from the App Store to the person's account. */
export async function addIphone(
  { apns }: Pick<NativeApp, "apns">,
  { client }: Pick<TestPerson, "client">,
  name = "iPhone",
): Promise<{ readonly iphone: SimulatedIphone; readonly device: Device }> {
  const iphone = new SimulatedIphone(apns);
  const push = { provider: "apns", token: iphone.token, environment: "production" } as const;
  const device = await client.devices.create({ name, platform: "ios", push });
  return { iphone, device };
}

/** Adds an Android phone with our app to the person's account. */
export async function addAndroid(
  { fcm }: Pick<NativeApp, "fcm">,
  { client }: Pick<TestPerson, "client">,
  name = "Android",
): Promise<{ readonly android: SimulatedAndroid; readonly device: Device }> {
  const android = new SimulatedAndroid(fcm);
  const push = { provider: "fcm", token: android.token } as const;
  const device = await client.devices.create({ name, platform: "android", push });
  return { android, device };
}
