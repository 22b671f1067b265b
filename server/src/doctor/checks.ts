import { PROVIDERS, type ProviderName } from "@tocsin/sdk";
import type { Config } from "#config/config.ts";
import { checkApns } from "#providers/apns/check.ts";
import { checkFcm } from "#providers/fcm/check.ts";
import { assessBaseUrl } from "./base-url.ts";
import { checkCertificate } from "./certificate.ts";
import type { Check } from "./check.ts";
import { assessClock } from "./clock.ts";
import { checkDataFolder, checkDisk } from "./data-folder.ts";
import { checkDatabase } from "./database-file.ts";
import { checkDatabaseServer } from "./database-server.ts";
import { checkDevices } from "./devices.ts";
import type { Examination } from "./examination.ts";
import { ok, type Verdict } from "./finding.ts";
import { checkMail } from "./mail.ts";
import { checkMasterKey } from "./master-key.ts";
import { probePushServices, assessReach } from "./push-services.ts";
import { checkServerAnswer } from "./server-answer.ts";
import { checkContact, assessContact } from "./webpush-contact.ts";
import { checkVapidKeys } from "./webpush.ts";

/** A safety limit: every step of a check has its own, shorter timeout. */
const CHECK_LIMIT_MS = 30_000;
/** Longer, because this check reads all devices. */
const DEVICES_LIMIT_MS = 90_000;

/** The providers of native apps. Web Push has separate checks, which share their requests. */
const NATIVE_PROVIDERS = PROVIDERS.filter((provider) => provider !== "webpush");

/** Returns the checks for a configuration, in the order of the report. */
export function checksFor(config: Config, examination: Examination): readonly Check[] {
  const { now, ca, webPush } = examination;
  const { baseUrl, dataDir, database } = config;
  // Two checks share these requests.
  const services = probePushServices({ config, now, webPush });
  return [
    singleCheck("base URL", () => assessBaseUrl(baseUrl)),
    ...(baseUrl.startsWith("https:")
      ? [singleCheck("TLS", () => checkCertificate({ baseUrl, now, ca }))]
      : []),
    singleCheck("server", () => checkServerAnswer({ config, ca })),
    singleCheck("clock", async () => assessClock(await services)),
    singleCheck("data folder", () => checkDataFolder(dataDir)),
    singleCheck("disk", () => checkDisk(dataDir)),
    singleCheck("database", (signal) =>
      database.kind === "sqlite"
        ? checkDatabase(database.path, signal)
        : checkDatabaseServer(database.url, now),
    ),
    {
      subject: "devices",
      limitMs: DEVICES_LIMIT_MS,
      run: async (signal) => [{ subject: "devices", ...(await checkDevices(database, signal)) }],
    },
    singleCheck("master key", () => checkMasterKey(config)),
    singleCheck("webpush keys", () => checkVapidKeys(config)),
    contactCheck(config, examination.contact),
    singleCheck("webpush reach", async () => assessReach(await services)),
    ...NATIVE_PROVIDERS.flatMap((provider) => providerChecks(provider, config, examination)),
    singleCheck("mail", () => checkMail(config)),
  ];
}

/** Returns the checks of one provider: of its settings, and of its services' response to them. */
export function providerChecks(
  provider: ProviderName,
  config: Config,
  examination: CheckContext,
): readonly Check[] {
  switch (provider) {
    case "apns":
      return [apnsCheck(config, examination)];
    case "fcm":
      return [fcmCheck(config, examination)];
    case "webpush": {
      const { now, webPush } = examination;
      const services = probePushServices({ config, now, webPush });
      return [
        singleCheck("webpush keys", () => checkVapidKeys(config)),
        contactCheck(config, examination.contact),
        singleCheck("webpush reach", async () => assessReach(await services)),
      ];
    }
  }
}

/** Returns the checks of a running server that contact no other machine. */
export function machineChecks(
  config: Config,
  contact: NonNullable<Examination["contact"]>,
): readonly Check[] {
  const { baseUrl, dataDir } = config;
  return [
    singleCheck("base URL", () => assessBaseUrl(baseUrl)),
    singleCheck("data folder", () => checkDataFolder(dataDir)),
    singleCheck("disk", () => checkDisk(dataDir)),
    singleCheck("webpush keys", () => checkVapidKeys(config)),
    contactCheck(config, contact),
  ];
}

function contactCheck(config: Config, contact: Examination["contact"]): Check {
  return singleCheck("webpush contact", async () =>
    contact === undefined ? checkContact(config) : assessContact(await contact()),
  );
}

type CheckContext = Omit<Examination, "loadConfig">;

function apnsCheck(
  { apns: settings }: Config,
  { now, elapsed, random, apns }: CheckContext,
): Check {
  if (settings === null) {
    return singleCheck("apns", () =>
      ok("Not configured: native iPhone apps are not reached; the web app does not need this."),
    );
  }
  return {
    subject: "apns",
    limitMs: CHECK_LIMIT_MS,
    run: (signal) => checkApns({ ...settings, now, elapsed, random, ...apns }, signal),
  };
}

function fcmCheck({ fcm: settings }: Config, { now, elapsed, random, fcm }: CheckContext): Check {
  if (settings === null) {
    return singleCheck("fcm", () =>
      ok("Not configured: native Android apps are not reached; the web app does not need this."),
    );
  }
  return {
    subject: "fcm",
    limitMs: CHECK_LIMIT_MS,
    run: (signal) => checkFcm({ ...settings, now, elapsed, random, ...fcm }, signal),
  };
}

function singleCheck(
  subject: string,
  assess: (signal: AbortSignal) => Verdict | Promise<Verdict>,
): Check {
  return {
    subject,
    limitMs: CHECK_LIMIT_MS,
    run: async (signal) => [{ subject, ...(await assess(signal)) }],
  };
}
