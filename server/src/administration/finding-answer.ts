import { Type } from "#schema/json-schema.ts";

/** The subject of a check, its result and how to fix a problem. */
export const FindingAnswer = Type.Object({
  subject: Type.String(),
  status: Type.Enum(["ok", "warn", "fail"]),
  message: Type.String(),
  mend: Type.Union([Type.String(), Type.Null()]),
});
