import i18next from "i18next";
import { isRefusedAs } from "../../errors.ts";

/** Returns what to tell who may not end something here: a browser that another one let in must sign in itself. */
export function letInReason(error: unknown): unknown {
  if (!isRefusedAs(error, "forbidden")) return error;
  return new Error(i18next.t("profile.letIn"), { cause: error });
}
