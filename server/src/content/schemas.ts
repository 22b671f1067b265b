import { CONTENT_FIELDS, type ContentField } from "@tocsin/sdk";
import { Type, type TSchema } from "#schema/json-schema.ts";

const FIELD_ENTRIES: readonly (readonly [name: string, field: ContentField])[] =
  Object.entries(CONTENT_FIELDS);

/** The properties of a request's JSON body for the OpenAPI document; `content.ts` does the validation. */
export const CONTENT_BODY_PROPERTIES = toProperties(toBodySchema);

/** The same properties as query parameters. */
export const CONTENT_QUERY_PROPERTIES = toProperties((field) =>
  field.kind === "flag"
    ? Type.Optional(Type.Enum(["true", "false", "1", "0"]))
    : toBodySchema(field),
);

function toProperties(toSchema: (field: ContentField) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(FIELD_ENTRIES.map(([name, field]) => [name, toSchema(field)]));
}

function toBodySchema(field: ContentField): TSchema {
  const description = toSentence(field.about);
  switch (field.kind) {
    case "text":
      return Type.String({ maxLength: field.lengthMax, description });
    case "choice":
      return Type.Optional(Type.Enum([...field.values], { description }));
    case "level":
      return Type.Optional(
        Type.Enum([...field.values], {
          default: field.default,
          description: `${description} Any letter case. For a send with a key, any other value counts as not given, and the header X-Ignored-Fields of the response names the field.`,
        }),
      );
    case "name":
      return Type.Optional(
        Type.String({
          pattern: field.pattern,
          default: field.default,
          description,
        }),
      );
    case "url":
      return Type.Optional(
        Type.String({
          format: "uri",
          maxLength: field.lengthMax,
          ...(field.schemes === "web" ? { pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" } : {}),
          description,
        }),
      );
    case "flag":
      return Type.Optional(Type.Boolean({ default: false, description }));
  }
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
