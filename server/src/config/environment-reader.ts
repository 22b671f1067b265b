import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";

/** The environment variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and validates environment variables. Collects all problems instead of throwing the first. */
export class EnvironmentReader {
  /** One line per problem; it begins with the name of the variable. */
  readonly problems: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Returns the value of `name`, or of the file that `name_FILE` points to; empty counts as not set. */
  readText(name: string): string | null {
    const value = this.#getValue(name);
    if (value !== null) return value;
    const filePath = this.findFilePath(name);
    if (filePath === null) return null;
    try {
      return readFileSync(filePath, "utf8").trim();
    } catch {
      this.problems.push(`${name}_FILE: the file cannot be read; check its path and permissions.`);
      return null;
    }
  }

  /** Returns the path in `name_FILE` if `name` is read from there; otherwise null. */
  findFilePath(name: string): string | null {
    return this.#getValue(name) === null ? this.#getValue(`${name}_FILE`) : null;
  }

  #getValue(name: string): string | null {
    const value = this.#environment[name]?.trim();
    return value === undefined || value === "" ? null : value;
  }

  /** Returns a whole number from `min` to `max`; the fallback if it is not set or invalid. */
  readInteger(name: string, options: { fallback: number; min: number; max: number }): number {
    const value = this.readText(name);
    if (value === null) return options.fallback;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= options.min && number <= options.max) return number;
    this.problems.push(`${name}: give a whole number from ${options.min} to ${options.max}.`);
    return options.fallback;
  }

  /** Returns one of the choices, in any letter case; the fallback if it is not set or invalid. */
  readOneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.readText(name)?.toLowerCase() ?? fallback;
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    this.problems.push(`${name}: give one of ${choices.join(", ")}.`);
    return fallback;
  }

  /** Returns the items of a comma-separated list, in lower case; empty if it is not set. */
  readList(name: string): readonly string[] {
    const value = this.readText(name);
    return value === null ? [] : value.split(",").map((part) => part.trim().toLowerCase());
  }

  /**
   * Returns the origin of a service, without a trailing slash; the fallback if it is not set or invalid. Plain http is
   * accepted only for services on this machine, because requests contain credentials.
   */
  readOrigin(name: string, fallback: string): string {
    const url = parseUrl(this.readText(name) ?? fallback);
    if (
      url !== null &&
      isSafeUrl(url) &&
      url.pathname === "/" &&
      url.search === "" &&
      url.hash === ""
    ) {
      return url.origin;
    }
    this.problems.push(`${name}: give an https address without a path, such as ${fallback}.`);
    return fallback;
  }

  /** Returns the URL of a service, which may have a path; otherwise like `readOrigin`. */
  readUrl(name: string, fallback: string): string {
    const url = parseUrl(this.readText(name) ?? fallback);
    if (url !== null && isSafeUrl(url) && url.hash === "") return url.href;
    this.problems.push(`${name}: give an https address, such as ${fallback}.`);
    return fallback;
  }
}

/** Parses a URL; returns null if it is invalid. */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** Returns whether requests with credentials may go to a URL: over https, or to this machine. */
function isSafeUrl({ protocol, hostname, username, password }: URL): boolean {
  const isLoopback = isIPv4(hostname) && hostname.startsWith("127.");
  const isLocal = hostname === "localhost" || hostname === "[::1]" || isLoopback;
  const hasNoCredentials = username === "" && password === "";
  return hasNoCredentials && (protocol === "https:" || (protocol === "http:" && isLocal));
}
