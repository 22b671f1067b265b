/** Path of the app manifest, with name, icons and start URL (W3C Web Application Manifest). */
export const MANIFEST_PATH = "/manifest.webmanifest";

/** Path of the page on which an app, on its first start, exchanges its token for a session. */
const START_PATH = "/welcome";
/** The format of `newToken`. Nothing else may get into a URL that an app opens. */
const TOKEN = /^[A-Za-z0-9_-]{27}$/;

/**
 * Returns the manifest of an app that starts with a token; null for a query without one. On an iPhone, an app on the
 * Home Screen shares no storage with Safari, so its start URL is the only way to pass it anything.
 */
export function manifestWithToken(manifest: Buffer, query: unknown): string | null {
  const pair = typeof query === "object" && query !== null && "pair" in query ? query.pair : null;
  if (typeof pair !== "string" || !TOKEN.test(pair)) return null;
  const plain: object = JSON.parse(String(manifest));
  return JSON.stringify({ ...plain, start_url: `${START_PATH}?pair=${pair}` });
}
