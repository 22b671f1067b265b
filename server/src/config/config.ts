import { isIP } from "node:net";
import { join, resolve } from "node:path";
import type { DatabaseLocation } from "#database/open.ts";
import { EnvironmentReader, parseUrl, type Environment } from "./environment-reader.ts";
import { readOidc, type OidcConfig } from "./oidc.ts";
import { conceal, CONCEALED_VALUE } from "./conceal.ts";
import { readDialects, type SpokenDialect } from "./dialects.ts";
import { readNtfyUpstream, type NtfyUpstream } from "./ntfy-upstream.ts";
import type { MasterKeys } from "#secrets/master-key.ts";
import { readMasterKeys } from "./master-key.ts";
import { checkSubjectForApple } from "#providers/webpush/vapid-subject.ts";
import { readRateLimit, type RateLimitConfig } from "./rate-limit.ts";
import { readApns, readFcm, type ApnsConfig, type FcmConfig } from "./push.ts";

const DEFAULT_PORT = 8_080;

/** All settings of an operator, validated. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The URL has no trailing slash. */
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly database: DatabaseLocation;
  readonly masterKeys: MasterKeys;
  /** The work that this process does: answering callers; sending, email and retention; or both. */
  readonly role: Role;
  readonly signUp: "open" | "invite" | "closed";
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null;
  /** Null if people sign in only with credentials of this server. */
  readonly oidc: OidcConfig | null;
  /** `mailto:` or `https:`; null if the first administrator's email address is used instead. */
  readonly vapidSubject: string | null;
  readonly webPush: WebPushConfig;
  /** Origins that callbacks may call although they are not public, in the form of `URL.origin`. */
  readonly callbackAllowOrigins: readonly string[];
  /** Null if native apps on iPhones cannot be reached. */
  readonly apns: ApnsConfig | null;
  /** Null if native apps on Android cannot be reached. */
  readonly fcm: FcmConfig | null;
  /** The APIs of other services that senders may use. */
  readonly dialects: readonly SpokenDialect[];
  /** Null if no server of ntfy is asked to wake iPhones. */
  readonly ntfyUpstream: NtfyUpstream | null;
  readonly syncWaitMs: number;
  readonly rateLimit: RateLimitConfig;
  readonly retentionDays: number;
  /** Whether the environment fixes a setting, so that an administrator cannot change it in the console. */
  readonly fixed: { readonly signUp: boolean; readonly retentionDays: boolean };
  readonly metricsToken: string | null;
  readonly trustProxy: boolean | string;
  readonly logLevel: LogLevel;
  /** `auto` is `text` on a terminal and `json` elsewhere. */
  readonly logFormat: LogFormat;
  /** URL that describes the newest release; null if releases are not checked. */
  readonly releasesUrl: string | null;
}

/** The push services that a browser may register with. */
export interface WebPushConfig {
  readonly mode: "vendors" | "open";
  readonly extraHosts: readonly string[];
  readonly allowOrigins: readonly string[];
}

const NODE_ROLES = ["all", "api", "worker"] as const;
/** The work that a process does: all work, only answering callers, or only the background work. */
export type Role = (typeof NODE_ROLES)[number];

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
/** The lowest level of the log lines that are written; `silent` writes none. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_FORMATS = ["auto", "json", "text"] as const;
/** The format of log lines; `auto` depends on the output. */
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Thrown with all problems of the environment. Its message has one line per problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n- ${problems.join("\n- ")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/**
 * Reads the environment of this process. A `.env` file in the working folder supplies variables that are not set.
 * Throws a `ConfigError` if a setting is invalid.
 */
export function loadConfig(): Config {
  try {
    process.loadEnvFile();
  } catch (error) {
    // No .env file is the usual case.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) {
      throw new ConfigError([".env: the file cannot be read; check its type and its permissions."]);
    }
  }
  return readConfig(process.env);
}

/**
 * Validates `environment` and returns its settings, with the secrets concealed from logs; throws a `ConfigError` that
 * names every problem.
 */
export function readConfig(environment: Environment): Config {
  const reader = new EnvironmentReader(environment);
  const port = reader.readInteger("TOCSIN_PORT", { fallback: DEFAULT_PORT, min: 0, max: 65_535 });
  // Links must point to this server even if only the port is set. Port 0 stands for any free port.
  const baseUrl = readBaseUrl(reader, `http://localhost:${port === 0 ? DEFAULT_PORT : port}`);
  const dataDir = resolve(reader.readText("TOCSIN_DATA_DIR") ?? "data");
  const database = readDatabase(reader, dataDir);
  const config: Config = {
    host: reader.readText("TOCSIN_HOST") ?? "127.0.0.1",
    port,
    baseUrl,
    dataDir,
    database,
    masterKeys: readMasterKeys(reader),
    role: readRole(reader, database),
    signUp: reader.readOneOf("TOCSIN_SIGN_UP", ["open", "invite", "closed"], "invite"),
    mail: readMail(reader),
    oidc: readOidc(reader),
    vapidSubject: readVapidSubject(reader, baseUrl),
    webPush: readWebPush(reader),
    callbackAllowOrigins: readOrigins(
      reader,
      "TOCSIN_CALLBACK_ALLOW_ORIGINS",
      "http://10.0.0.5:8089",
    ),
    apns: readApns(reader),
    fcm: readFcm(reader),
    dialects: readDialects(reader),
    ntfyUpstream: readNtfyUpstream(reader),
    syncWaitMs: reader.readInteger("TOCSIN_SYNC_WAIT_MS", { fallback: 3_000, min: 0, max: 25_000 }),
    rateLimit: readRateLimit(reader),
    retentionDays: reader.readInteger("TOCSIN_RETENTION_DAYS", {
      fallback: 30,
      min: 1,
      max: 3_650,
    }),
    fixed: {
      signUp: reader.readText("TOCSIN_SIGN_UP") !== null,
      retentionDays: reader.readText("TOCSIN_RETENTION_DAYS") !== null,
    },
    metricsToken: reader.readText("TOCSIN_METRICS_TOKEN"),
    trustProxy: readTrustProxy(reader),
    logLevel: reader.readOneOf("TOCSIN_LOG_LEVEL", LOG_LEVELS, "info"),
    logFormat: reader.readOneOf("TOCSIN_LOG_FORMAT", LOG_FORMATS, "auto"),
    releasesUrl: readReleasesUrl(reader),
  };
  // A setting that is read twice is reported once.
  if (reader.problems.length > 0) throw new ConfigError([...new Set(reader.problems)]);
  return concealSecrets(config);
}

/**
 * Conceals the secrets of a configuration. Nested objects are concealed separately too, because one may be logged by
 * itself. Key objects never print their key.
 */
function concealSecrets(config: Config): Config {
  const { database, mail, oidc, metricsToken } = config;
  if (database.kind === "postgres") conceal(database, { ...database, url: CONCEALED_VALUE });
  if (mail !== null) conceal(mail, { ...mail, smtpUrl: CONCEALED_VALUE });
  if (oidc !== null) conceal(oidc, { ...oidc, clientSecret: CONCEALED_VALUE });
  const token = metricsToken === null ? null : CONCEALED_VALUE;
  return conceal(config, { ...config, metricsToken: token });
}

function readReleasesUrl(reader: EnvironmentReader): string | null {
  const name = "TOCSIN_RELEASES_URL";
  if (reader.readText(name) === null) return null;
  return reader.readUrl(name, "https://api.github.com/repos/OWNER/NAME/releases/latest");
}

function readBaseUrl(reader: EnvironmentReader, fallback: string): string {
  const name = "TOCSIN_BASE_URL";
  const url = parseUrl(reader.readText(name) ?? fallback);
  const isWeb = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  const hasNoCredentials = url?.username === "" && url.password === "";
  // The console and its service worker are served from the root of an origin.
  if (isWeb && hasNoCredentials && url.pathname === "/" && url.search === "" && url.hash === "") {
    return url.origin;
  }
  reader.problems.push(
    `${name}: give the public address without a path, such as https://push.example.org.`,
  );
  return fallback;
}

function readDatabase(reader: EnvironmentReader, dataDir: string): DatabaseLocation {
  const name = "TOCSIN_DATABASE_URL";
  const url = reader.readText(name);
  if (url === null) return { kind: "sqlite", path: join(dataDir, "tocsin.db") };
  const { protocol, pathname = "" } = parseUrl(url) ?? {};
  const isPostgres = protocol === "postgres:" || protocol === "postgresql:";
  if (!isPostgres || pathname.length < 2) {
    reader.problems.push(
      `${name}: give an address such as postgres://user:password@host:5432/tocsin, or unset it for SQLite.`,
    );
  }
  return { kind: "postgres", url };
}

function readMail(reader: EnvironmentReader): Config["mail"] {
  const smtpUrl = reader.readText("TOCSIN_SMTP_URL");
  const from = reader.readText("TOCSIN_MAIL_FROM");
  if (smtpUrl === null) return null;
  const protocol = parseUrl(smtpUrl)?.protocol;
  if (protocol !== "smtp:" && protocol !== "smtps:") {
    reader.problems.push(
      "TOCSIN_SMTP_URL: give an address such as smtps://user:password@host:465.",
    );
  }
  if (from === null || !/@[^\s@]+$/.test(from.replace(/>$/, ""))) {
    reader.problems.push("TOCSIN_MAIL_FROM: give the sender, such as Tocsin <tocsin@example.org>.");
  }
  return { smtpUrl, from: from ?? "" };
}

function readVapidSubject(reader: EnvironmentReader, baseUrl: string): string | null {
  const subject = reader.readText("TOCSIN_VAPID_SUBJECT");
  if (subject === null) return checkSubjectForApple(baseUrl).ok ? baseUrl : null;
  if (/^mailto:[^\s@<>]+@[^\s@<>]+$/.test(subject) || parseUrl(subject)?.protocol === "https:") {
    return subject;
  }
  reader.problems.push("TOCSIN_VAPID_SUBJECT: give mailto:name@example.org or an https address.");
  return null;
}

function readWebPush(reader: EnvironmentReader): WebPushConfig {
  const [mode = "vendors", ...extraHosts] = reader.readList("TOCSIN_WEBPUSH_HOSTS");
  const isKnownMode = mode === "vendors" || mode === "open";
  if (!isKnownMode || !extraHosts.every((host) => HOST_NAME_PATTERN.test(host))) {
    reader.problems.push(
      "TOCSIN_WEBPUSH_HOSTS: begin with vendors or open; names of hosts follow by comma.",
    );
  }
  const allowOrigins = readOrigins(reader, "TOCSIN_WEBPUSH_ALLOW_ORIGINS", "http://127.0.0.1:8089");
  return { mode: mode === "open" ? "open" : "vendors", extraHosts, allowOrigins };
}

/** Reads the origins that are exempt from the address guard. */
function readOrigins(reader: EnvironmentReader, name: string, example: string): readonly string[] {
  const origins = reader.readList(name);
  if (!origins.every(isOrigin))
    reader.problems.push(`${name}: give origins such as ${example}, without a path.`);
  return origins;
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && parseUrl(text)?.origin === text;
}

/** Reads `true`, or a list of proxy addresses; unset means that no proxy is trusted. */
function readTrustProxy(reader: EnvironmentReader): boolean | string {
  const value = reader.readText("TOCSIN_TRUST_PROXY") ?? "false";
  if (/^(true|1|false|0)$/i.test(value)) return /^(true|1)$/i.test(value);
  if (value.split(",").every((part) => isAddressOrNetwork(part.trim()))) return value;
  reader.problems.push("TOCSIN_TRUST_PROXY: give true, false, or addresses such as 10.0.0.0/8.");
  return false;
}

function readRole(reader: EnvironmentReader, database: DatabaseLocation): Role {
  const role = reader.readOneOf("TOCSIN_ROLE", NODE_ROLES, "all");
  if (role !== "all" && database.kind === "sqlite") {
    reader.problems.push(
      "TOCSIN_ROLE: on SQLite one process does all the work; unset it, or set TOCSIN_DATABASE_URL.",
    );
  }
  return role;
}

/** A host name without scheme, port or path. A leading `*.` stands for every subdomain. */
const HOST_NAME_PATTERN = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** Returns whether a string is an IP address, with or without a prefix length. */
function isAddressOrNetwork(text: string): boolean {
  const [ip = "", prefix, ...furtherParts] = text.split("/");
  const version = isIP(ip);
  if (version === 0 || furtherParts.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
