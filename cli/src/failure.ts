import { TocsinConnectionError, TocsinError } from "@tocsin/sdk";
import { CommandError } from "./command.ts";
import { plain } from "./terminal.ts";

/** Returns the failure that an error means for the caller of a command; null for a fault of ours. */
export function failureOf(error: unknown): CommandError | null {
  if (error instanceof CommandError) return error;
  if (error instanceof TocsinError) {
    const { code, field, requestId } = error;
    const message = `The server refused: ${plain(error.message)}${adviceOf(error)}`;
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

function adviceOf({ code, requestId }: TocsinError): string {
  if (code === "not_json") return ". Is this the address of a Tocsin server?";
  return code === "internal" && requestId !== null ? ` (request ${plain(requestId)})` : "";
}

function connectionMessage(error: TocsinConnectionError): string {
  const { host, isTimeout, cause, operation } = error;
  if (isTimeout) {
    const isSend = operation.startsWith("notify");
    const doubt = isSend ? " Whether it sent the notification is not known." : "";
    return `${host} did not answer in time.${doubt}`;
  }
  const code = codeOf(cause);
  const reason = code === null ? "" : ` (${code})`;
  return `${host} does not answer${reason}. Does the server run, and is --url or TOCSIN_URL its address?`;
}

const CAUSES_MAX = 8;

/** The system's word for it, such as ECONNREFUSED: the platform's `fetch` puts it below its own error. */
function codeOf(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < CAUSES_MAX; depth += 1) {
    if ("code" in cause && typeof cause.code === "string") return plain(cause.code);
    cause = cause.cause;
  }
  return null;
}
