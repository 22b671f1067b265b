import { TocsinConnectionError, TocsinError, type ErrorCode } from "@tocsin/sdk";
import i18next from "i18next";
import { waitOf } from "./wait.ts";

/** Codes that say enough about cause and remedy for a text of our own; all others show the server's message. */
const TOLD_BY_CODE = [
  "rate_limited",
  "unavailable",
  "internal",
  "forbidden",
  "expired",
  "sign_up_closed",
  "invitation_required",
  "wrong_account",
  "account_suspended",
] as const;

/** Returns the message to show for an error. */
export function messageOf(error: unknown): string {
  if (error instanceof TocsinConnectionError) {
    return i18next.t(navigator.onLine ? "error.noAnswer" : "error.offline");
  }
  if (error instanceof TocsinError) {
    if (error.code === "rate_limited" && error.retryAfterMs !== null) {
      return i18next.t("error.rate_limited_for", { wait: waitText(error.retryAfterMs) });
    }
    const code = TOLD_BY_CODE.find((known) => known === error.code);
    return code === undefined ? error.message : i18next.t(`error.${code}`);
  }
  return error instanceof Error ? error.message : i18next.t("error.unknown");
}

/** Returns a wait in words, rounded up. */
function waitText(waitMs: number): string {
  const { unit, count } = waitOf(waitMs);
  return i18next.t(`error.wait.${unit}`, { count });
}

/** Returns whether no answer came, because the server or the network is unreachable. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TocsinConnectionError;
}

/** Returns whether the requested thing does not exist on the server (any more). */
export function isMissing(error: unknown): boolean {
  return error instanceof TocsinError && error.status === 404;
}

/** A refusal in our own words, shown beside its field. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = "FieldError";
    this.field = field;
  }
}

/** Returns whether the server refused with a code. */
export function isRefusedAs(error: unknown, code: ErrorCode): error is TocsinError {
  return error instanceof TocsinError && error.code === code;
}

/** Returns the field of the request that is at fault; null if none is named. */
export function fieldOf(error: unknown): string | null {
  if (error instanceof FieldError) return error.field;
  return error instanceof TocsinError ? error.field : null;
}
