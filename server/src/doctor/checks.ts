import { PROVIDERS, type ProviderName } from "@tocsin/sdk";
import type { Config } from "#config/config.ts";
import { checkApns } from "#providers/apns/check.ts";
import { checkFcm } from "#providers/fcm/check.ts";
import { judgeBaseUrl } from "./base-url.ts";
import { checkCertificate } from "./certificate.ts";
import type { Check } from "./check.ts";
import { judgeClock } from "./clock.ts";
import { checkDataFolder, checkDisk } from "./data-folder.ts";
import { checkDatabase } from "./database-file.ts";
import { checkDatabaseServer } from "./database-server.ts";
import { checkDevices } from "./devices.ts";
import type { Examination } from "./examination.ts";
import { ok, type Verdict } from "./finding.ts";
import { checkMail } from "./mail.ts";
import { checkMasterKey } from "./master-key.ts";
import { askPushServices, judgeReach } from "./push-services.ts";
import { checkServerAnswer } from "./server-answer.ts";
import { checkContact, judgeContact } from "./webpush-contact.ts";
import { checkVapidKeys } from "./webpush.ts";

/** A backstop: every step has a shorter limit of its own. */
const LIMIT_MS = 30_000;
/** Longer, because all devices are read. */
const DEVICES_LIMIT_MS = 90_000;

/** Web Push is checked apart: its checks share their answers. */
const NATIVE = PROVIDERS.filter((provider) => provider !== "webpush");

/** Returns the checks for a configuration, in the order in which they are reported. */
export function checksFor(config: Config, examination: Examination): readonly Check[] {
  const { now, ca, webPush } = examination;
  const { baseUrl, dataDir, database } = config;
  // Two checks use the same answers.
  const services = askPushServices({ config, now, webPush });
  return [
    one("base URL", () => judgeBaseUrl(baseUrl)),
    ...(baseUrl.startsWith("https:")
      ? [one("TLS", () => checkCertificate({ baseUrl, now, ca }))]
      : []),
    one("server", () => checkServerAnswer({ config, ca })),
    one("clock", async () => judgeClock(await services)),
    one("data folder", () => checkDataFolder(dataDir)),
    one("disk", () => checkDisk(dataDir)),
    one("database", (signal) =>
      database.kind === "sqlite"
        ? checkDatabase(database.path, signal)
        : checkDatabaseServer(database.url, now),
    ),
    {
      subject: "devices",
      limitMs: DEVICES_LIMIT_MS,
      look: async (signal) => [{ subject: "devices", ...(await checkDevices(database, signal)) }],
    },
    one("master key", () => checkMasterKey(config)),
    one("webpush keys", () => checkVapidKeys(config)),
    contactCheck(config, examination.contact),
    one("webpush reach", async () => judgeReach(await services)),
    ...NATIVE.flatMap((provider) => providerChecks(provider, config, examination)),
    one("mail", () => checkMail(config)),
  ];
}

/** Returns the checks of one provider: its settings, and whether its services accept them. */
export function providerChecks(
  provider: ProviderName,
  config: Config,
  examination: Seamed,
): readonly Check[] {
  switch (provider) {
    case "apns":
      return [apnsCheck(config, examination)];
    case "fcm":
      return [fcmCheck(config, examination)];
    case "webpush": {
      const { now, webPush } = examination;
      const services = askPushServices({ config, now, webPush });
      return [
        one("webpush keys", () => checkVapidKeys(config)),
        contactCheck(config, examination.contact),
        one("webpush reach", async () => judgeReach(await services)),
      ];
    }
  }
}

/** Returns the checks of a running server's surroundings on its machine; they contact no other machine. */
export function machineChecks(
  config: Config,
  contact: NonNullable<Examination["contact"]>,
): readonly Check[] {
  const { baseUrl, dataDir } = config;
  return [
    one("base URL", () => judgeBaseUrl(baseUrl)),
    one("data folder", () => checkDataFolder(dataDir)),
    one("disk", () => checkDisk(dataDir)),
    one("webpush keys", () => checkVapidKeys(config)),
    contactCheck(config, contact),
  ];
}

function contactCheck(config: Config, contact: Examination["contact"]): Check {
  return one("webpush contact", async () =>
    contact === undefined ? checkContact(config) : judgeContact(await contact()),
  );
}

type Seamed = Omit<Examination, "loadConfig">;

function apnsCheck({ apns: settings }: Config, { now, elapsed, random, apns }: Seamed): Check {
  if (settings === null) {
    return one("apns", () =>
      ok("Not configured: native iPhone apps are not reached; the web app does not need this."),
    );
  }
  return {
    subject: "apns",
    limitMs: LIMIT_MS,
    look: (signal) => checkApns({ ...settings, now, elapsed, random, ...apns }, signal),
  };
}

function fcmCheck({ fcm: settings }: Config, { now, elapsed, random, fcm }: Seamed): Check {
  if (settings === null) {
    return one("fcm", () =>
      ok("Not configured: native Android apps are not reached; the web app does not need this."),
    );
  }
  return {
    subject: "fcm",
    limitMs: LIMIT_MS,
    look: (signal) => checkFcm({ ...settings, now, elapsed, random, ...fcm }, signal),
  };
}

function one(subject: string, judge: (signal: AbortSignal) => Verdict | Promise<Verdict>): Check {
  return {
    subject,
    limitMs: LIMIT_MS,
    look: async (signal) => [{ subject, ...(await judge(signal)) }],
  };
}
