/** The fields of the API page's form; the command omits an empty channel or sound. */
export interface CurlOptions {
  readonly server: string;
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly channel: string;
  readonly sound: string;
  readonly isAsync: boolean;
}

const DEFAULT_SERVER = "http://localhost:8080";

/** Returns the call as a command for a POSIX shell; no input can end the quotes in it. */
export function formatCurlCommand(options: CurlOptions): string {
  const { server, key, title, body, channel, sound, isAsync } = options;
  const base = (server === "" ? DEFAULT_SERVER : server).replace(/\/+$/u, "");
  const url = `${base}/api/v1/${isAsync ? "notify-async" : "notify"}`;
  const optional = { ...(channel === "" ? {} : { channel }), ...(sound === "" ? {} : { sound }) };
  return [
    `curl ${quote(url)}`,
    `-H ${quote(`x-api-key: ${key === "" ? "<API_KEY>" : key}`)}`,
    `-H 'content-type: application/json'`,
    `-d ${quote(JSON.stringify({ title, body, ...optional }))}`,
  ].join(" \\\n  ");
}

/**
 * Returns a text as one word of a POSIX shell. In single quotes, the shell reads every character literally; only the
 * single quote itself is written outside of them.
 */
function quote(text: string): string {
  return /^[\w./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
