import { isIP } from "node:net";
import { join, resolve } from "node:path";
import type { DatabasePlace } from "#database/open.ts";
import { EnvironmentReader, parseUrl, type Environment } from "./environment-reader.ts";
import { readOidc, type OidcConfig } from "./oidc.ts";
import { conceal, CONCEALED } from "./conceal.ts";
import type { MasterKeys } from "#secrets/master-key.ts";
import { readMasterKeys } from "./master-key.ts";
import { checkSubjectForApple } from "#providers/webpush/vapid-subject.ts";
import { readApns, readFcm, type ApnsConfig, type FcmConfig } from "./push.ts";

/** All settings of an operator, checked. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly database: DatabasePlace;
  readonly masterKeys: MasterKeys;
  /** The work that this process does: answering callers; sending, mail and retention; or both. */
  readonly role: Role;
  readonly signUp: "open" | "invite" | "closed";
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null;
  /** Null if people sign in only with credentials of this server. */
  readonly oidc: OidcConfig | null;
  /** `mailto:` or `https:`; null if the first administrator's address stands in for it. */
  readonly vapidSubject: string | null;
  readonly webPush: WebPushConfig;
  /** Null if iPhones' native apps cannot be reached. */
  readonly apns: ApnsConfig | null;
  /** Null if Android's native apps cannot be reached. */
  readonly fcm: FcmConfig | null;
  readonly syncWaitMs: number;
  /** `perSecond: 0` switches the limit off. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly retentionDays: number;
  /** Settings that the environment fixes: an administrator cannot change them in the console. */
  readonly fixed: { readonly signUp: boolean; readonly retentionDays: boolean };
  readonly metricsToken: string | null;
  readonly trustProxy: boolean | string;
  readonly logLevel: LogLevel;
  /** `auto` is `text` on a terminal and `json` elsewhere. */
  readonly logFormat: LogFormat;
  /** Address that describes the newest release; null if none is checked. */
  readonly releasesUrl: string | null;
}

/** The push services that a browser may name as its own. */
export interface WebPushConfig {
  readonly mode: "vendors" | "open";
  readonly extraHosts: readonly string[];
  readonly allowOrigins: readonly string[];
}

const ROLES = ["all", "api", "worker"] as const;
export type Role = (typeof ROLES)[number];

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_FORMATS = ["auto", "json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Thrown with every problem of the environment at once, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n- ${problems.join("\n- ")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Reads the environment of this process, with `.env` of the working folder beneath it. */
export function loadConfig(): Config {
  try {
    process.loadEnvFile();
  } catch (error) {
    // No .env file is the usual case.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) {
      throw new ConfigError([
        ".env: the file cannot be read; check what it is and who may read it.",
      ]);
    }
  }
  return readConfig(process.env);
}

/** Checks `environment` and returns it typed, its secrets concealed from logs; throws `ConfigError` naming every problem. */
export function readConfig(environment: Environment): Config {
  const read = new EnvironmentReader(environment);
  const port = read.integer("TOCSIN_PORT", { fallback: 8080, min: 0, max: 65_535 });
  // Links must lead to this server even if only the port was chosen.
  const baseUrl = readBaseUrl(read, `http://localhost:${port === 0 ? 8080 : port}`);
  const dataDir = resolve(read.text("TOCSIN_DATA_DIR") ?? "data");
  const database = readDatabase(read, dataDir);
  const config: Config = {
    host: read.text("TOCSIN_HOST") ?? "127.0.0.1",
    port,
    baseUrl,
    dataDir,
    database,
    masterKeys: readMasterKeys(read),
    role: readRole(read, database),
    signUp: read.oneOf("TOCSIN_SIGN_UP", ["open", "invite", "closed"], "invite"),
    mail: readMail(read),
    oidc: readOidc(read),
    vapidSubject: readVapidSubject(read, baseUrl),
    webPush: readWebPush(read),
    apns: readApns(read),
    fcm: readFcm(read),
    syncWaitMs: read.integer("TOCSIN_SYNC_WAIT_MS", { fallback: 3_000, min: 0, max: 25_000 }),
    rateLimit: {
      perSecond: read.integer("TOCSIN_RATE_LIMIT_PER_S", { fallback: 50, min: 0, max: 1_000_000 }),
      burst: read.integer("TOCSIN_RATE_LIMIT_BURST", { fallback: 1_000, min: 1, max: 10_000_000 }),
    },
    retentionDays: read.integer("TOCSIN_RETENTION_DAYS", { fallback: 30, min: 1, max: 3_650 }),
    fixed: {
      signUp: read.text("TOCSIN_SIGN_UP") !== null,
      retentionDays: read.text("TOCSIN_RETENTION_DAYS") !== null,
    },
    metricsToken: read.text("TOCSIN_METRICS_TOKEN"),
    trustProxy: readTrustProxy(read),
    logLevel: read.oneOf("TOCSIN_LOG_LEVEL", LOG_LEVELS, "info"),
    logFormat: read.oneOf("TOCSIN_LOG_FORMAT", LOG_FORMATS, "auto"),
    releasesUrl: readReleasesUrl(read),
  };
  // A setting that is read twice is reported once.
  if (read.problems.length > 0) throw new ConfigError([...new Set(read.problems)]);
  return concealSecrets(config);
}

/** Parts are concealed by themselves too, as one may be logged alone. Key objects show nothing anyway. */
function concealSecrets(config: Config): Config {
  const { database, mail, oidc, metricsToken } = config;
  if (database.kind === "postgres") conceal(database, { ...database, url: CONCEALED });
  if (mail !== null) conceal(mail, { ...mail, smtpUrl: CONCEALED });
  if (oidc !== null) conceal(oidc, { ...oidc, clientSecret: CONCEALED });
  const token = metricsToken === null ? null : CONCEALED;
  return conceal(config, { ...config, metricsToken: token });
}

function readReleasesUrl(read: EnvironmentReader): string | null {
  const name = "TOCSIN_RELEASES_URL";
  if (read.text(name) === null) return null;
  return read.address(name, "https://api.github.com/repos/OWNER/NAME/releases/latest");
}

function readBaseUrl(read: EnvironmentReader, fallback: string): string {
  const name = "TOCSIN_BASE_URL";
  const url = parseUrl(read.text(name) ?? fallback);
  const isWeb = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  const isBare = url?.username === "" && url.password === "";
  // The page and its worker live at the root of an origin.
  if (isWeb && isBare && url.pathname === "/" && url.search === "" && url.hash === "") {
    return url.origin;
  }
  read.problems.push(
    `${name}: give the public address without a path, such as https://push.example.org.`,
  );
  return fallback;
}

function readDatabase(read: EnvironmentReader, dataDir: string): DatabasePlace {
  const name = "TOCSIN_DATABASE_URL";
  const url = read.text(name);
  if (url === null) return { kind: "sqlite", path: join(dataDir, "tocsin.db") };
  const { protocol, pathname = "" } = parseUrl(url) ?? {};
  const isPostgres = protocol === "postgres:" || protocol === "postgresql:";
  if (!isPostgres || pathname.length < 2) {
    read.problems.push(
      `${name}: give an address such as postgres://user:password@host:5432/tocsin, or unset it for SQLite.`,
    );
  }
  return { kind: "postgres", url };
}

function readMail(read: EnvironmentReader): Config["mail"] {
  const smtpUrl = read.text("TOCSIN_SMTP_URL");
  const from = read.text("TOCSIN_MAIL_FROM");
  if (smtpUrl === null) return null;
  const protocol = parseUrl(smtpUrl)?.protocol;
  if (protocol !== "smtp:" && protocol !== "smtps:") {
    read.problems.push("TOCSIN_SMTP_URL: give an address such as smtps://user:password@host:465.");
  }
  if (from === null || !/@[^\s@]+$/.test(from.replace(/>$/, ""))) {
    read.problems.push("TOCSIN_MAIL_FROM: give the sender, such as Tocsin <tocsin@example.org>.");
  }
  return { smtpUrl, from: from ?? "" };
}

function readVapidSubject(read: EnvironmentReader, baseUrl: string): string | null {
  const subject = read.text("TOCSIN_VAPID_SUBJECT");
  if (subject === null) return checkSubjectForApple(baseUrl).ok ? baseUrl : null;
  if (/^mailto:[^\s@<>]+@[^\s@<>]+$/.test(subject) || parseUrl(subject)?.protocol === "https:") {
    return subject;
  }
  read.problems.push("TOCSIN_VAPID_SUBJECT: give mailto:name@example.org or an https address.");
  return null;
}

function readWebPush(read: EnvironmentReader): WebPushConfig {
  const [mode = "vendors", ...extraHosts] = read.list("TOCSIN_WEBPUSH_HOSTS");
  const isMode = mode === "vendors" || mode === "open";
  if (!isMode || !extraHosts.every((host) => HOST_NAME.test(host))) {
    read.problems.push(
      "TOCSIN_WEBPUSH_HOSTS: begin with vendors or open; names of hosts follow by comma.",
    );
  }
  const allowOrigins = read.list("TOCSIN_WEBPUSH_ALLOW_ORIGINS");
  for (const origin of allowOrigins) {
    if (parseUrl(origin)?.origin !== origin) {
      read.problems.push(
        "TOCSIN_WEBPUSH_ALLOW_ORIGINS: give origins such as http://127.0.0.1:8089, without a path.",
      );
    }
  }
  return { mode: mode === "open" ? "open" : "vendors", extraHosts, allowOrigins };
}

/** Reads `true`, or a list of proxy addresses; unset means that no proxy is trusted. */
function readTrustProxy(read: EnvironmentReader): boolean | string {
  const value = read.text("TOCSIN_TRUST_PROXY") ?? "false";
  if (/^(true|1|false|0)$/i.test(value)) return /^(true|1)$/i.test(value);
  if (value.split(",").every((part) => isNetwork(part.trim()))) return value;
  read.problems.push("TOCSIN_TRUST_PROXY: give true, false, or addresses such as 10.0.0.0/8.");
  return false;
}

function readRole(read: EnvironmentReader, database: DatabasePlace): Role {
  const role = read.oneOf("TOCSIN_ROLE", ROLES, "all");
  if (role !== "all" && database.kind === "sqlite") {
    read.problems.push(
      "TOCSIN_ROLE: on SQLite one process does all the work; unset it, or set TOCSIN_DATABASE_URL.",
    );
  }
  return role;
}

/** A host name without scheme, port or path; `*.` before it stands for every name below. */
const HOST_NAME = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** Returns whether a text is an IP address, or one with the prefix length of its network. */
function isNetwork(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
