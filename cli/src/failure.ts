import { TocsinConnectionError, TocsinError, type ClientErrorCode } from "@tocsin/sdk";
import { CommandError } from "./command.ts";
import { plain } from "./terminal.ts";

/** Returns the failure to show to the caller of a command for an error; null for a bug. */
export function failureOf(error: unknown): CommandError | null {
  if (error instanceof CommandError) return error;
  if (error instanceof TocsinError) {
    const { code, field, requestId } = error;
    const message = isOfClient(error) ? addressMessage(error) : refusalMessage(error);
    return new CommandError(message, { exit: "refused", code, field, requestId, cause: error });
  }
  if (error instanceof TocsinConnectionError) {
    return new CommandError(connectionMessage(error), {
      exit: "noConnection",
      code: error.isTimeout ? "timeout" : "no_connection",
      cause: error,
    });
  }
  return null;
}

/** The SDK's codes if there is no Tocsin server, or not at this address. */
const CODES_OF_CLIENT: readonly string[] = [
  "not_json",
  "unexpected_answer",
  "redirected",
  "https_expected",
] satisfies readonly ClientErrorCode[];

function isOfClient({ code }: TocsinError): boolean {
  return CODES_OF_CLIENT.includes(code);
}

/** Rewrites the SDK's message, which is for programmers: it names its own operation, and the option that a program sets. */
function addressMessage({ code, message }: TocsinError): string {
  const said = plain(message)
    .replace(/^[\w.]+: /, "")
    .replaceAll("baseUrl", ADDRESS);
  const isFound = code === "redirected" || code === "https_expected";
  return isFound ? `${said}.` : `${said}. Is ${ADDRESS} the address of a Tocsin server?`;
}

const ADDRESS = "--url or TOCSIN_URL";

function refusalMessage({ code, message, requestId }: TocsinError): string {
  const said = `The server refused: ${plain(message)}`;
  // The start of the server's message for an unknown path; a test checks it against a real one.
  if (code === "not_found" && message.startsWith("There is nothing at this path")) {
    return `There is a server, but no Tocsin at this path. Give ${ADDRESS} without the path of a page.`;
  }
  return code === "internal" && requestId !== null ? `${said} (request ${plain(requestId)})` : said;
}

function connectionMessage(error: TocsinConnectionError): string {
  const { host, isTimeout, cause, operation, schemeFault } = error;
  const doubt = operation.startsWith("notify")
    ? " Whether it sent the notification is not known."
    : "";
  if (isTimeout) return `${host} did not answer in time.${doubt}`;
  switch (schemeFault) {
    case "not_https":
      return `${host} does not speak https: on this port. If http: is meant, give http://${host} as ${ADDRESS}.`;
    case "not_http":
      return `${host} does not speak http: on this port. Give https://${host} as ${ADDRESS}.`;
    case "maybe_not_http":
      return `${host} closed the connection without an answer.${doubt} If it speaks https: on this port, give https://${host} as ${ADDRESS}.`;
    case null: {
      const code = codeOf(cause);
      const reason = code === null ? "" : ` (${code})`;
      return `${host} does not answer${reason}. Does the server run, and is ${ADDRESS} its address?`;
    }
  }
}

const CAUSES_MAX = 8;

/** The system's error code, such as ECONNREFUSED: `fetch` puts it into a cause of its own error. */
function codeOf(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < CAUSES_MAX; depth += 1) {
    if ("code" in cause && typeof cause.code === "string") return plain(cause.code);
    cause = cause.cause;
  }
  return null;
}
