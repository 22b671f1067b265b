/** The path of the app manifest: name, icons and start URL (W3C Web Application Manifest). */
export const MANIFEST_PATH = "/manifest.webmanifest";

/** The path of the page on which an app, on its first start, exchanges its pairing token for a session. */
const WELCOME_PATH = "/welcome";
/** The format of `newToken`. Nothing else may get into a URL that an app opens. */
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{27}$/;

/**
 * Returns the manifest with the pairing token of the query in its start URL; null if the query has no valid token. On
 * an iPhone, an app on the Home Screen shares no storage with Safari, so only its start URL can pass the token on.
 */
export function createManifestWithToken(manifest: Buffer, query: unknown): string | null {
  const token = typeof query === "object" && query !== null && "pair" in query ? query.pair : null;
  if (typeof token !== "string" || !TOKEN_PATTERN.test(token)) return null;
  const original: object = JSON.parse(String(manifest));
  return JSON.stringify({ ...original, start_url: `${WELCOME_PATH}?pair=${token}` });
}
