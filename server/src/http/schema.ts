import { Type, type TSchema } from "#schema/json-schema.ts";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";

/** Returns the schema of a value that may be null. */
export function Nullable<T extends TSchema>(type: T) {
  return Type.Union([type, Type.Null()]);
}

/** The schema of a time: an RFC 3339 string in UTC. */
export const Timestamp = Type.String({ format: "date-time" });

/** The schema of the path parameters of an operation on one resource. */
export const IdParams = Type.Object({ id: Type.String() });

/**
 * Returns the schema of a text of 1 to `charactersMax` characters, at least one of them visible. The route's own parser
 * checks it.
 */
export function VisibleText(charactersMax: number) {
  const description = `1 to ${charactersMax} characters.`;
  const keywords = { minLength: 1, maxLength: charactersMax, pattern: VISIBLE_CHARACTER };
  return addDocumentedKeywords(Type.String({ description }), keywords);
}

const VISIBLE_CHARACTER = "[\\p{L}\\p{N}\\p{P}\\p{S}]";

const EMAIL_ADDRESS = {
  format: "email",
  maxLength: 254,
  pattern:
    "^(?:[A-Za-z0-9_+'-]+\\.)*[A-Za-z0-9_+'-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$",
};

/** The schema of an email address; `parseEmail` checks it. */
export const EmailAddress = addDocumentedKeywords(Type.String(), EMAIL_ADDRESS);

/** The schema of an email address, or of an empty string for none. */
export const EmailAddressOrNone = addDocumentedKeywords(Type.String(), {
  anyOf: [{ maxLength: 0 }, EMAIL_ADDRESS],
});

/** Returns the schema of the response of a list. */
export function PageResponse<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Immutable(Type.Array(item)),
    nextCursor: Nullable(Type.String()),
  });
}
