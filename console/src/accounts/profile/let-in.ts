import i18next from "i18next";
import { isRefusedAs } from "../../errors.ts";

/** Returns the error to show: a browser that another device added may not end this and must sign in itself. */
export function letInReason(error: unknown): unknown {
  if (!isRefusedAs(error, "forbidden")) return error;
  return new Error(i18next.t("profile.letIn"), { cause: error });
}
