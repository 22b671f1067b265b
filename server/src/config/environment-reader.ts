import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads environment variables and collects their problems. */
export class EnvironmentReader {
  readonly problems: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns the value of `name`, or of the file that `name_FILE` points to; empty counts as not set. */
  text(name: string): string | null {
    const value = this.#value(name);
    if (value !== null) return value;
    const file = this.fileOf(name);
    if (file === null) return null;
    try {
      return readFileSync(file, "utf8").trim();
    } catch {
      this.problems.push(`${name}_FILE: the file cannot be read; check its path and permissions.`);
      return null;
    }
  }

  /** Returns the path in `name_FILE` if `name` is read from there; otherwise null. */
  fileOf(name: string): string | null {
    return this.#value(name) === null ? this.#value(`${name}_FILE`) : null;
  }

  #value(name: string): string | null {
    const value = this.#environment[name]?.trim();
    return value === undefined || value === "" ? null : value;
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

  /** Returns the items of a comma-separated list, in lower case; empty if it is not set. */
  list(name: string): readonly string[] {
    const value = this.text(name);
    return value === null ? [] : value.split(",").map((part) => part.trim().toLowerCase());
  }

  /**
   * Returns the origin of a service, without a trailing slash. Plain http is accepted only for services on this
   * machine, because requests carry credentials.
   */
  origin(name: string, fallback: string): string {
    const url = parseUrl(this.text(name) ?? fallback);
    if (
      url !== null &&
      isSafe(url) &&
      url.pathname === "/" &&
      url.search === "" &&
      url.hash === ""
    ) {
      return url.origin;
    }
    this.problems.push(`${name}: give an https address without a path, such as ${fallback}.`);
    return fallback;
  }

  /** Returns the URL of a service. Like `origin`, but it may have a path. */
  address(name: string, fallback: string): string {
    const url = parseUrl(this.text(name) ?? fallback);
    if (url !== null && isSafe(url) && url.hash === "") return url.href;
    this.problems.push(`${name}: give an https address, such as ${fallback}.`);
    return fallback;
  }
}

/** Parses a URL; returns null if it is invalid. */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function isSafe({ protocol, hostname, username, password }: URL): boolean {
  const isLoopback = isIPv4(hostname) && hostname.startsWith("127.");
  const isLocal = hostname === "localhost" || hostname === "[::1]" || isLoopback;
  const hasNoCredentials = username === "" && password === "";
  return hasNoCredentials && (protocol === "https:" || (protocol === "http:" && isLocal));
}
