import { Type } from "#schema/json-schema.ts";

/** The schema of a finding: the subject of a check, its result, and how to fix a problem. */
export const FindingSchema = Type.Object({
  subject: Type.String(),
  status: Type.Enum(["ok", "warn", "fail"]),
  message: Type.String(),
  mend: Type.Union([Type.String(), Type.Null()]),
});
