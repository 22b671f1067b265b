import i18next from "i18next";
import { hasErrorCode } from "../../errors.ts";

/**
 * Replaces a `forbidden` error with one that explains it, and returns every other error unchanged. A browser that
 * another device added may not end sessions or remove passkeys and access tokens: it must sign in first.
 */
export function toPairedSessionError(error: unknown): unknown {
  if (!hasErrorCode(error, "forbidden")) return error;
  return new Error(i18next.t("profile.pairedSessionForbidden"), { cause: error });
}
