import { ok, warn, type Finding, type Verdict } from "#doctor/finding.ts";

export interface ReleasesOptions {
  /** The description of the newest release, as GitHub gives it under `/repos/OWNER/NAME/releases/latest`. */
  readonly url: string;
  /** The running version. */
  readonly version: string;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Time for which an answer is kept: a new version is seldom urgent. */
const KEPT_MS = 24 * 60 * 60_000;
/** Longest wait for an answer, as the page waits for it. */
const ANSWER_MAX_MS = 3_000;
const BODY_MAX_BYTES = 1_000_000;

/** Finds the newest release: it asks when an administrator looks, at most once a day. */
export class Releases {
  readonly #options: ReleasesOptions;
  #known: { readonly verdict: Promise<Verdict>; readonly at: number } | null = null;

  constructor(options: ReleasesOptions) {
    this.#options = options;
  }

  /** Returns whether the running version is the newest one. */
  async examine(): Promise<Finding> {
    const now = this.#options.elapsed();
    const last = this.#known;
    const isFresh = last !== null && now - last.at < KEPT_MS;
    const known = isFresh ? last : { verdict: this.#ask(), at: now };
    this.#known = known;
    return { subject: "version", ...(await known.verdict) };
  }

  async #ask(): Promise<Verdict> {
    const { url, version } = this.#options;
    try {
      const release = parseRelease(await read(url));
      if (!isNewer(release.version, version)) return ok(`Tocsin ${version} is the newest version.`);
      return warn(
        `Tocsin ${release.version} is available; this server runs ${version}.`,
        `Read what changed, then update: ${release.page}`,
      );
    } catch {
      // The next request looks again.
      this.#known = null;
      return warn(
        `${url} does not say which version is the newest.`,
        "Check TOCSIN_RELEASES_URL and the way there, or remove the setting.",
      );
    }
  }
}

async function read(url: string): Promise<unknown> {
  const signal = AbortSignal.timeout(ANSWER_MAX_MS);
  const response = await fetch(url, { signal, headers: { accept: "application/json" } });
  if (!response.ok || response.body === null) throw new Error(`${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new Error("The answer is too long.");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

interface PublishedRelease {
  readonly version: string;
  readonly page: string;
}

/** Throws for any other text. */
function parseRelease(said: unknown): PublishedRelease {
  if (typeof said !== "object" || said === null || !("tag_name" in said && "html_url" in said))
    throw new Error("This is no release.");
  const { tag_name: tag, html_url: page } = said;
  const version = typeof tag === "string" ? VERSION.exec(tag)?.[1] : undefined;
  if (version === undefined || typeof page !== "string" || !isWeb(page))
    throw new Error("This is no release.");
  return { version, page };
}

/** Pre-release versions, such as `1.2.0-rc.1`, are not offered. */
const VERSION = /^v?(\d{1,9}\.\d{1,9}\.\d{1,9})$/;

function isWeb(page: string): boolean {
  return URL.canParse(page) && /^https?:$/.test(new URL(page).protocol);
}

function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split(".").map((part) => parseInt(part)));
  const index = one?.findIndex((number, place) => number !== other?.[place]) ?? -1;
  return index >= 0 && (one?.[index] ?? 0) > (other?.[index] ?? 0);
}
