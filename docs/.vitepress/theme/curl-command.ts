/** The fields of the API page's form; an empty text is not sent. */
export interface CurlOrder {
  readonly server: string;
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly channel: string;
  readonly sound: string;
  readonly isAsync: boolean;
}

const SERVER = "http://localhost:8080";

/** Returns the call as a command for a POSIX shell: no text in it can end its quotes. */
export function curlCommand(order: CurlOrder): string {
  const { server, key, title, body, channel, sound, isAsync } = order;
  const base = (server === "" ? SERVER : server).replace(/\/+$/u, "");
  const address = `${base}/api/v1/${isAsync ? "notify-async" : "notify"}`;
  const optional = { ...(channel === "" ? {} : { channel }), ...(sound === "" ? {} : { sound }) };
  return [
    `curl ${quote(address)}`,
    `-H ${quote(`x-api-key: ${key === "" ? "<API_KEY>" : key}`)}`,
    `-H 'content-type: application/json'`,
    `-d ${quote(JSON.stringify({ title, body, ...optional }))}`,
  ].join(" \\\n  ");
}

/** Between single quotes a shell reads every character as itself; the quote alone is written outside of them. */
function quote(text: string): string {
  return /^[\w./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
