import { Type } from "#schema/json-schema.ts";

/** What was looked at, what was found, and what to do about it. */
export const FindingAnswer = Type.Object({
  subject: Type.String(),
  status: Type.Enum(["ok", "warn", "fail"]),
  message: Type.String(),
  mend: Type.Union([Type.String(), Type.Null()]),
});
