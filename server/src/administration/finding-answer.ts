import { Type } from "#schema/json-schema.ts";

/** The subject of a check, its result, and the remedy. */
export const FindingAnswer = Type.Object({
  subject: Type.String(),
  status: Type.Enum(["ok", "warn", "fail"]),
  message: Type.String(),
  mend: Type.Union([Type.String(), Type.Null()]),
});
