import { ok, warn, type Finding, type Verdict } from "#doctor/finding.ts";

/** The dependencies of the release check. */
export interface ReleaseCheckerDeps {
  /** URL of the newest release, in the format of GitHub's `/repos/OWNER/NAME/releases/latest`. */
  readonly url: string;
  /** The running version. */
  readonly version: string;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Time for which the newest version is cached: a new one is seldom urgent. A failed check is not cached. */
const CACHE_TTL_MS = 24 * 60 * 60_000;
/** Timeout of the request. It is short, because the page waits for it. */
const REQUEST_TIMEOUT_MS = 3_000;
const BODY_MAX_BYTES = 1_000_000;

/** The check for the newest release. It runs when an administrator opens the health page, and caches its result. */
export class ReleaseChecker {
  readonly #deps: ReleaseCheckerDeps;
  #cached: { readonly verdict: Promise<Verdict>; readonly at: number } | null = null;

  constructor(deps: ReleaseCheckerDeps) {
    this.#deps = deps;
  }

  /** Returns the finding on whether the running version is the newest one. */
  async examine(): Promise<Finding> {
    const now = this.#deps.elapsed();
    const cached = this.#cached;
    const isFresh = cached !== null && now - cached.at < CACHE_TTL_MS;
    const entry = isFresh ? cached : { verdict: this.#check(), at: now };
    this.#cached = entry;
    return { subject: "version", ...(await entry.verdict) };
  }

  async #check(): Promise<Verdict> {
    const { url, version } = this.#deps;
    try {
      const release = parseRelease(await fetchJson(url));
      if (!isNewer(release.version, version)) return ok(`Tocsin ${version} is the newest version.`);
      return warn(
        `Tocsin ${release.version} is available; this server runs ${version}.`,
        `Read what changed, then update: ${release.pageUrl}`,
      );
    } catch {
      // The next request checks again.
      this.#cached = null;
      return warn(
        `${url} does not say which version is the newest.`,
        "Check TOCSIN_RELEASES_URL and the connection to it, or remove the setting.",
      );
    }
  }
}

async function fetchJson(url: string): Promise<unknown> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = await fetch(url, { signal, headers: { accept: "application/json" } });
  if (!response.ok || response.body === null) throw new Error(`${response.status}`);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_MAX_BYTES) throw new Error("The response is too large.");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

interface PublishedRelease {
  readonly version: string;
  readonly pageUrl: string;
}

/** Throws for anything but a release. */
function parseRelease(body: unknown): PublishedRelease {
  if (typeof body !== "object" || body === null || !("tag_name" in body && "html_url" in body))
    throw new Error("This is not a release.");
  const { tag_name: tag, html_url: pageUrl } = body;
  const version = typeof tag === "string" ? VERSION_PATTERN.exec(tag)?.[1] : undefined;
  if (version === undefined || typeof pageUrl !== "string" || !isWebUrl(pageUrl))
    throw new Error("This is not a release.");
  return { version, pageUrl };
}

/** Pre-release versions, such as `1.2.0-rc.1`, are not offered. */
const VERSION_PATTERN = /^v?(\d{1,9}\.\d{1,9}\.\d{1,9})$/;

function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function isNewer(version: string, otherVersion: string): boolean {
  const numbers = parseVersion(version);
  const otherNumbers = parseVersion(otherVersion);
  const index = numbers.findIndex((number, position) => number !== otherNumbers[position]);
  return index >= 0 && (numbers[index] ?? 0) > (otherNumbers[index] ?? 0);
}

function parseVersion(text: string): readonly number[] {
  return text.split(".").map((part) => parseInt(part));
}
