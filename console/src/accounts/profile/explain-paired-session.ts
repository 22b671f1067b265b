import i18next from "i18next";
import { isRefusedAs } from "../../errors.ts";

/** Returns the error to show. A browser that another device added may not end sessions: it must sign in first. */
export function explainPairedSession(error: unknown): unknown {
  if (!isRefusedAs(error, "forbidden")) return error;
  return new Error(i18next.t("profile.letIn"), { cause: error });
}
