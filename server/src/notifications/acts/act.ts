import type { ActName } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";

/** The field of a request that names the subject of the act. */
export type SubjectField = "incidentId" | "promptId" | "notificationIds";

/** The body of a request to act, with the types of its fields checked. */
export interface ActBody {
  readonly act: ActName;
  readonly incidentId?: string;
  readonly promptId?: string;
  readonly notificationIds?: readonly string[];
  readonly answer?: string;
}

/** A request to act on one incident, one prompt or some notifications. */
export interface ActRequest {
  readonly subjectIds: readonly string[];
  /** Null unless the act needs an answer. */
  readonly answer: string | null;
}

/** The effect of an act, in words for the person. */
export interface ActResult {
  readonly message: string;
}

/** The fields that an act takes. */
export interface ActFields {
  readonly subjectField: SubjectField;
  readonly needsAnswer: boolean;
}

/** Returns the subject and the answer of a request. Throws `invalid_field` unless it has just the fields of its act. */
export function parseActRequest(body: ActBody, fields: ActFields): ActRequest {
  const { incidentId, promptId, notificationIds, answer } = body;
  const values = { incidentId, promptId, notificationIds, answer };
  const fieldNames = fields.needsAnswer ? [fields.subjectField, "answer"] : [fields.subjectField];
  for (const [name, value] of Object.entries(values)) {
    const isNeeded = fieldNames.includes(name);
    if (isNeeded && value === undefined) {
      throw invalidField(name, `${name} is required for the act ${body.act}.`);
    }
    if (!isNeeded && value !== undefined) {
      throw invalidField(name, `The act ${body.act} has no field ${name}. Leave it out.`);
    }
  }
  const subject = values[fields.subjectField] ?? [];
  return { subjectIds: [subject].flat(), answer: answer ?? null };
}
