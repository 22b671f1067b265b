import { TocsinConnectionError, TocsinError, type ErrorCode } from "@tocsin/sdk";
import i18next from "i18next";
import { roundUpWait } from "./round-up-wait.ts";

/** Returns the translated text for an error; the message of the error itself if there is none. */
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
 * Returns the translated text for the code of an error. Returns the server's message if there is none: a newer server
 * may use an unknown code, and the feed does not load the texts of all codes.
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
