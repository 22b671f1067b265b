import { TocsinConnectionError, TocsinError, type ClientErrorCode } from "@tocsin/sdk";
import { CommandError } from "./command.ts";
import { sanitize } from "./terminal.ts";

/** Returns the failure to report for an error; null if the error is a bug. */
export function toCommandError(error: unknown): CommandError | null {
  if (error instanceof CommandError) return error;
  if (error instanceof TocsinError) {
    const { code, field, requestId } = error;
    const message = isClientError(error) ? formatAddressError(error) : formatRefusal(error);
    return new CommandError(message, { exit: "refused", code, field, requestId, cause: error });
  }
  if (error instanceof TocsinConnectionError) {
    return new CommandError(formatConnectionError(error), {
      exit: "noConnection",
      code: error.isTimeout ? "timeout" : "no_connection",
      cause: error,
    });
  }
  return null;
}

/** The SDK's error codes for a URL without a Tocsin server. */
const CLIENT_CODES: readonly string[] = [
  "not_json",
  "unexpected_answer",
  "redirected",
  "https_expected",
] satisfies readonly ClientErrorCode[];

function isClientError({ code }: TocsinError): boolean {
  return CLIENT_CODES.includes(code);
}

/** Rewrites the SDK's message for users: removes the operation, and names the setting instead of the SDK's option. */
function formatAddressError({ code, message }: TocsinError): string {
  const text = sanitize(message)
    .replace(/^[\w.]+: /, "")
    .replaceAll("baseUrl", ADDRESS_SETTING);
  const namesCorrectUrl = code === "redirected" || code === "https_expected";
  return namesCorrectUrl
    ? `${text}.`
    : `${text}. Is ${ADDRESS_SETTING} the address of a Tocsin server?`;
}

const ADDRESS_SETTING = "--url or TOCSIN_URL";

function formatRefusal({ code, message, requestId }: TocsinError): string {
  const text = `The server refused: ${sanitize(message)}`;
  // The server's message for an unknown path begins like this. A test checks it against a real server.
  if (code === "not_found" && message.startsWith("There is nothing at this path")) {
    return `There is a server, but no Tocsin at this path. Give ${ADDRESS_SETTING} without the path of a page.`;
  }
  return code === "internal" && requestId !== null
    ? `${text} (request ${sanitize(requestId)})`
    : text;
}

function formatConnectionError(error: TocsinConnectionError): string {
  const { host, isTimeout, cause, operation, schemeFault } = error;
  const uncertainty = operation.startsWith("notify")
    ? " Whether it sent the notification is not known."
    : "";
  if (isTimeout) return `${host} did not answer in time.${uncertainty}`;
  switch (schemeFault) {
    case "not_https":
      return `${host} does not speak https: on this port. If http: is meant, give http://${host} as ${ADDRESS_SETTING}.`;
    case "not_http":
      return `${host} does not speak http: on this port. Give https://${host} as ${ADDRESS_SETTING}.`;
    case "maybe_not_http":
      return `${host} closed the connection without an answer.${uncertainty} If it speaks https: on this port, give https://${host} as ${ADDRESS_SETTING}.`;
    case null: {
      const code = findSystemErrorCode(cause);
      const reason = code === null ? "" : ` (${code})`;
      return `${host} does not answer${reason}. Does the server run, and is ${ADDRESS_SETTING} its address?`;
    }
  }
}

const CAUSE_DEPTH_MAX = 8;

/** Returns the system's error code, such as ECONNREFUSED, from the causes of a `fetch` error. */
function findSystemErrorCode(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < CAUSE_DEPTH_MAX; depth += 1) {
    if ("code" in cause && typeof cause.code === "string") return sanitize(cause.code);
    cause = cause.cause;
  }
  return null;
}
