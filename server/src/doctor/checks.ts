import { PUSH_PROVIDERS, type PushProviderName } from "@tocsin/sdk";
import type { Config } from "#config/config.ts";
import { checkApns } from "#providers/apns/check.ts";
import { checkFcm } from "#providers/fcm/check.ts";
import { assessBaseUrl } from "./base-url.ts";
import { checkCertificate } from "./certificate.ts";
import type { Check } from "./check.ts";
import { assessClock } from "./clock.ts";
import { checkDataFolder, checkDisk } from "./data-folder.ts";
import { checkDatabaseFile } from "./database-file.ts";
import { checkDatabaseServer } from "./database-server.ts";
import { checkDevices } from "./devices.ts";
import type { DoctorDeps } from "./doctor-deps.ts";
import { ok, type Verdict } from "./finding.ts";
import { checkMail } from "./mail.ts";
import { checkMasterKey } from "./master-key.ts";
import { probePushServices, assessReachability } from "./push-services.ts";
import { checkServerResponse } from "./server-response.ts";
import { checkWebSocket } from "./web-socket.ts";
import { checkContact, assessContact } from "./webpush-contact.ts";
import { checkVapidKeys } from "./webpush-keys.ts";

/** A safety limit: every request and query of a check has its own, shorter timeout. */
const CHECK_TIMEOUT_MS = 30_000;
/** The timeout of the check that reads all devices. */
const DEVICES_TIMEOUT_MS = 90_000;

/** The providers of native apps. Web Push has separate checks, which share their requests. */
const NATIVE_PROVIDERS = PUSH_PROVIDERS.filter((provider) => provider !== "webpush");

/** Creates the checks of a configuration, in the order of the report. */
export function createChecks(config: Config, deps: DoctorDeps): readonly Check[] {
  const { now, ca, webPush } = deps;
  const { baseUrl, dataDir, database } = config;
  // Two checks share these requests.
  const services = probePushServices({ config, now, webPush });
  return [
    createCheck("base URL", () => assessBaseUrl(baseUrl)),
    ...(baseUrl.startsWith("https:")
      ? [createCheck("TLS", () => checkCertificate({ baseUrl, now, ca }))]
      : []),
    createCheck("server", () => checkServerResponse({ config, ca })),
    createCheck("websocket", () => checkWebSocket({ config, ca })),
    createCheck("clock", async () => assessClock(await services)),
    createCheck("data folder", () => checkDataFolder(dataDir)),
    createCheck("disk", () => checkDisk(dataDir)),
    createCheck("database", (signal) =>
      database.kind === "sqlite"
        ? checkDatabaseFile(database.path, signal)
        : checkDatabaseServer(database.url, now),
    ),
    {
      subject: "devices",
      timeoutMs: DEVICES_TIMEOUT_MS,
      run: async (signal) => [{ subject: "devices", ...(await checkDevices(database, signal)) }],
    },
    createCheck("master key", () => checkMasterKey(config)),
    createCheck("webpush keys", () => checkVapidKeys(config)),
    createContactCheck(config, deps.getContact),
    createCheck("webpush reach", async () => assessReachability(await services)),
    ...NATIVE_PROVIDERS.flatMap((provider) => createProviderChecks(provider, config, deps)),
    createCheck("mail", () => checkMail(config)),
  ];
}

/** Creates the checks of one provider: whether its settings are valid, and whether its services accept them. */
export function createProviderChecks(
  provider: PushProviderName,
  config: Config,
  deps: CheckDeps,
): readonly Check[] {
  switch (provider) {
    case "apns":
      return [createApnsCheck(config, deps)];
    case "fcm":
      return [createFcmCheck(config, deps)];
    case "webpush": {
      const { now, webPush } = deps;
      const services = probePushServices({ config, now, webPush });
      return [
        createCheck("webpush keys", () => checkVapidKeys(config)),
        createContactCheck(config, deps.getContact),
        createCheck("webpush reach", async () => assessReachability(await services)),
      ];
    }
  }
}

/** Creates the checks for a running server. They contact no other machine, except that of the database. */
export function createMachineChecks(
  config: Config,
  getContact: NonNullable<DoctorDeps["getContact"]>,
): readonly Check[] {
  const { baseUrl, dataDir } = config;
  return [
    createCheck("base URL", () => assessBaseUrl(baseUrl)),
    createCheck("data folder", () => checkDataFolder(dataDir)),
    createCheck("disk", () => checkDisk(dataDir)),
    createCheck("webpush keys", () => checkVapidKeys(config)),
    createContactCheck(config, getContact),
  ];
}

function createContactCheck(config: Config, getContact: DoctorDeps["getContact"]): Check {
  return createCheck("webpush contact", async () =>
    getContact === undefined ? checkContact(config) : assessContact(await getContact()),
  );
}

type CheckDeps = Omit<DoctorDeps, "loadConfig">;

function createApnsCheck(
  { apns: settings }: Config,
  { now, elapsed, random, apns }: CheckDeps,
): Check {
  if (settings === null) {
    return createCheck("apns", () =>
      ok("Not configured: native iPhone apps are not reached; the web app does not need this."),
    );
  }
  return {
    subject: "apns",
    timeoutMs: CHECK_TIMEOUT_MS,
    run: (signal) => checkApns({ ...settings, now, elapsed, random, ...apns }, signal),
  };
}

function createFcmCheck(
  { fcm: settings }: Config,
  { now, elapsed, random, fcm }: CheckDeps,
): Check {
  if (settings === null) {
    return createCheck("fcm", () =>
      ok("Not configured: native Android apps are not reached; the web app does not need this."),
    );
  }
  return {
    subject: "fcm",
    timeoutMs: CHECK_TIMEOUT_MS,
    run: (signal) => checkFcm({ ...settings, now, elapsed, random, ...fcm }, signal),
  };
}

function createCheck(
  subject: string,
  assess: (signal: AbortSignal) => Verdict | Promise<Verdict>,
): Check {
  return {
    subject,
    timeoutMs: CHECK_TIMEOUT_MS,
    run: async (signal) => [{ subject, ...(await assess(signal)) }],
  };
}
