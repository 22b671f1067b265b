import { TocsinConnectionError, TocsinError, type ErrorCode } from "@tocsin/sdk";
import i18next from "i18next";
import { roundUpWait } from "./round-up-wait.ts";

/** Returns the message to show for an error. */
export function getErrorMessage(error: unknown): string {
  if (error instanceof TocsinConnectionError) {
    return i18next.t(navigator.onLine ? "error.noResponse" : "error.offline");
  }
  if (error instanceof TocsinError) {
    if (error.code === "rate_limited" && error.retryAfterMs !== null) {
      return i18next.t("error.rate_limited_for", { wait: formatWait(error.retryAfterMs) });
    }
    return translateRefusal(error);
  }
  return error instanceof Error ? error.message : i18next.t("error.unknown");
}

/**
 * Returns the text for the code of an error. A code of a newer server has none, and the feed loads only the texts of
 * the codes that it meets: then it is the server's message.
 */
function translateRefusal({ code, message }: TocsinError): string {
  const keys = [`error.${code}`, `refusal.${code}`] as const;
  // An existing key is one of the texts.
  const key = keys.find((candidate) => i18next.exists(candidate)) as "refusal.conflict" | undefined;
  return key === undefined ? message : i18next.t(key, { message });
}

/** Returns a waiting time as text, rounded up. */
function formatWait(waitMs: number): string {
  const { unit, count } = roundUpWait(waitMs);
  return i18next.t(`error.wait.${unit}`, { count });
}

/** Returns whether the request got no response because the server or the network is unreachable. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TocsinConnectionError;
}

/** Returns whether the requested resource does not exist on the server, or no longer exists. */
export function isNotFound(error: unknown): boolean {
  return error instanceof TocsinError && error.status === 404;
}

/** An error with a translated message, shown next to its form field. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = "FieldError";
    this.field = field;
  }
}

/** Returns whether the server rejected the request with this code. */
export function hasErrorCode(error: unknown, code: ErrorCode): error is TocsinError {
  return error instanceof TocsinError && error.code === code;
}

/** Returns the request field that caused the error; null if the error names none. */
export function getErrorField(error: unknown): string | null {
  if (error instanceof FieldError) return error.field;
  return error instanceof TocsinError ? error.field : null;
}
