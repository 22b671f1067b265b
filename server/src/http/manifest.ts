/** Where the file of the app's name, icons and start lies (W3C Web Application Manifest). */
export const MANIFEST_PATH = "/manifest.webmanifest";

/** Where an app that is opened for the first time turns its token into a session. */
const START_PATH = "/welcome";
/** As `newToken` makes them: nothing else gets into an address that an app opens. */
const TOKEN = /^[A-Za-z0-9_-]{27}$/;

/**
 * Returns the manifest of an app that starts with a token, null for a query without one. On an iPhone an app on the Home
 * Screen shares no storage with Safari: all it can be told is the address that it opens.
 */
export function manifestWithToken(manifest: Buffer, query: unknown): string | null {
  const pair = typeof query === "object" && query !== null && "pair" in query ? query.pair : null;
  if (typeof pair !== "string" || !TOKEN.test(pair)) return null;
  const plain: object = JSON.parse(String(manifest));
  return JSON.stringify({ ...plain, start_url: `${START_PATH}?pair=${pair}` });
}
