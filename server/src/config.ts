import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";

/** Everything an operator can set, checked. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Absolute path of the SQLite file. */
  readonly databasePath: string;
  readonly signUp: "open" | "invite" | "closed";
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null;
  /** `mailto:` or `https:`; null where none is known that push services accept. */
  readonly vapidSubject: string | null;
  readonly webPush: WebPushConfig;
  readonly syncWaitMs: number;
  /** `perSecond: 0` switches the limit off. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly retentionDays: number;
  readonly metricsToken: string | null;
  readonly trustProxy: boolean | string;
  readonly logLevel: LogLevel;
}

/** Which push services a browser may name as its own. */
export interface WebPushConfig {
  readonly mode: "vendors" | "open";
  readonly extraHosts: readonly string[];
  readonly allowOrigins: readonly string[];
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Thrown with every problem of the environment at once, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n- ${problems.join("\n- ")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

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

/** Checks `environment` and returns it typed; throws `ConfigError` naming every problem. */
export function readConfig(environment: Environment): Config {
  const read = new Reader(environment);
  const port = read.integer("TOCSIN_PORT", { fallback: 8080, min: 0, max: 65_535 });
  // Links must lead to this server also where only the port was chosen.
  const baseUrl = read.baseUrl("TOCSIN_BASE_URL", `http://localhost:${port === 0 ? 8080 : port}`);
  const dataDir = resolve(read.text("TOCSIN_DATA_DIR") ?? "data");
  const config: Config = {
    host: read.text("TOCSIN_HOST") ?? "127.0.0.1",
    port,
    baseUrl,
    dataDir,
    databasePath: join(dataDir, "tocsin.db"),
    signUp: read.oneOf("TOCSIN_SIGN_UP", ["open", "invite", "closed"], "invite"),
    mail: read.mail(),
    vapidSubject: read.vapidSubject(baseUrl),
    webPush: read.webPush(),
    syncWaitMs: read.integer("TOCSIN_SYNC_WAIT_MS", { fallback: 3_000, min: 0, max: 25_000 }),
    rateLimit: {
      perSecond: read.integer("TOCSIN_RATE_LIMIT_PER_S", { fallback: 50, min: 0, max: 1_000_000 }),
      burst: read.integer("TOCSIN_RATE_LIMIT_BURST", { fallback: 1_000, min: 1, max: 10_000_000 }),
    },
    retentionDays: read.integer("TOCSIN_RETENTION_DAYS", { fallback: 30, min: 1, max: 3_650 }),
    metricsToken: read.text("TOCSIN_METRICS_TOKEN"),
    trustProxy: read.trustProxy(),
    logLevel: read.oneOf("TOCSIN_LOG_LEVEL", LOG_LEVELS, "info"),
  };
  read.refuseUnsupported();
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}

/** Reads variables one by one and collects what is wrong with them. */
class Reader {
  readonly problems: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** The value of `name`, or of the file that `name_FILE` points to; empty counts as not set. */
  text(name: string): string | null {
    const value = this.#environment[name]?.trim();
    if (value !== undefined && value !== "") return value;
    const file = this.#environment[`${name}_FILE`]?.trim();
    if (file === undefined || file === "") return null;
    try {
      return readFileSync(file, "utf8").trim();
    } catch {
      this.problems.push(`${name}_FILE: the file cannot be read; check its path and permissions.`);
      return null;
    }
  }

  integer(name: string, rule: { fallback: number; min: number; max: number }): number {
    const value = this.text(name);
    if (value === null) return rule.fallback;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= rule.min && number <= rule.max) return number;
    this.problems.push(`${name}: give a whole number from ${rule.min} to ${rule.max}.`);
    return rule.fallback;
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.text(name)?.toLowerCase() ?? fallback;
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    this.problems.push(`${name}: give one of ${choices.join(", ")}.`);
    return fallback;
  }

  baseUrl(name: string, fallback: string): string {
    const url = parseUrl(this.text(name) ?? fallback);
    const isWeb = url !== null && (url.protocol === "http:" || url.protocol === "https:");
    const isBare = url?.username === "" && url.password === "";
    // The page and its worker live at the root of an origin.
    if (isWeb && isBare && url.pathname === "/" && url.search === "" && url.hash === "") {
      return url.origin;
    }
    this.problems.push(
      `${name}: give the public address without a path, such as https://push.example.org.`,
    );
    return fallback;
  }

  mail(): Config["mail"] {
    const smtpUrl = this.text("TOCSIN_SMTP_URL");
    const from = this.text("TOCSIN_MAIL_FROM");
    if (smtpUrl === null) return null;
    const protocol = parseUrl(smtpUrl)?.protocol;
    if (protocol !== "smtp:" && protocol !== "smtps:") {
      this.problems.push(
        "TOCSIN_SMTP_URL: give an address such as smtps://user:password@host:465.",
      );
    }
    if (from === null || !/@[^\s@]+$/.test(from.replace(/>$/, ""))) {
      this.problems.push("TOCSIN_MAIL_FROM: give the sender, such as Tocsin <tocsin@example.org>.");
    }
    return { smtpUrl, from: from ?? "" };
  }

  vapidSubject(baseUrl: string): string | null {
    const subject = this.text("TOCSIN_VAPID_SUBJECT");
    if (subject === null) return baseUrl.startsWith("https://") ? baseUrl : null;
    if (/^mailto:[^\s@<>]+@[^\s@<>]+$/.test(subject) || parseUrl(subject)?.protocol === "https:") {
      return subject;
    }
    this.problems.push("TOCSIN_VAPID_SUBJECT: give mailto:name@example.org or an https address.");
    return null;
  }

  webPush(): WebPushConfig {
    const [mode = "vendors", ...extraHosts] = this.#list("TOCSIN_WEBPUSH_HOSTS");
    const isMode = mode === "vendors" || mode === "open";
    if (!isMode || !extraHosts.every((host) => HOST_NAME.test(host))) {
      this.problems.push(
        "TOCSIN_WEBPUSH_HOSTS: begin with vendors or open; names of hosts follow by comma.",
      );
    }
    const allowOrigins = this.#list("TOCSIN_WEBPUSH_ALLOW_ORIGINS");
    for (const origin of allowOrigins) {
      if (parseUrl(origin)?.origin !== origin) {
        this.problems.push(
          "TOCSIN_WEBPUSH_ALLOW_ORIGINS: give origins such as http://127.0.0.1:8089, without a path.",
        );
      }
    }
    return { mode: mode === "open" ? "open" : "vendors", extraHosts, allowOrigins };
  }

  /** `true`, or a list of proxy addresses; unset means that nobody speaks for the client. */
  trustProxy(): boolean | string {
    const value = this.text("TOCSIN_TRUST_PROXY") ?? "false";
    if (/^(true|1|false|0)$/i.test(value)) return /^(true|1)$/i.test(value);
    if (value.split(",").every((part) => isNetwork(part.trim()))) return value;
    this.problems.push("TOCSIN_TRUST_PROXY: give true, false, or addresses such as 10.0.0.0/8.");
    return false;
  }

  /** A setting that this version cannot honour stops the start instead of being ignored. */
  refuseUnsupported(): void {
    if (this.text("TOCSIN_DATABASE_URL") !== null) {
      this.problems.push("TOCSIN_DATABASE_URL: this version runs on SQLite alone; unset it.");
    }
    if (this.oneOf("TOCSIN_ROLE", ["all", "api", "worker"], "all") !== "all") {
      this.problems.push("TOCSIN_ROLE: on SQLite one process does all the work; unset it.");
    }
    for (const name of ["TOCSIN_APNS_KEY", "TOCSIN_FCM_CREDENTIALS"]) {
      if (this.text(name) === null) continue;
      this.problems.push(`${name}: this version delivers by Web Push alone; unset it.`);
    }
  }

  #list(name: string): readonly string[] {
    const value = this.text(name);
    return value === null ? [] : value.split(",").map((part) => part.trim().toLowerCase());
  }
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** A name without scheme, port or path; `*.` before it stands for every name below. */
const HOST_NAME = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** An IP address, or one with the length of its network's prefix. */
function isNetwork(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
