import { CONTENT_FIELDS, type ContentField } from "@tocsin/sdk";
import { Type, type TSchema } from "#schema/json-schema.ts";

const FIELDS: readonly (readonly [name: string, field: ContentField])[] =
  Object.entries(CONTENT_FIELDS);

/** The properties of a request's JSON body, as the OpenAPI document shows them; `content.ts` checks them. */
export const BODY_PROPERTIES = toProperties(bodySchemaOf);

/** The same fields as query parameters. */
export const QUERY_PROPERTIES = toProperties((field) =>
  field.kind === "flag"
    ? Type.Optional(Type.Enum(["true", "false", "1", "0"]))
    : bodySchemaOf(field),
);

function toProperties(schemaOf: (field: ContentField) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(FIELDS.map(([name, field]) => [name, schemaOf(field)]));
}

function bodySchemaOf(field: ContentField): TSchema {
  const description = toSentence(field.about);
  switch (field.kind) {
    case "text":
      return Type.String({ maxLength: field.lengthMax, description });
    case "choice":
      return Type.Optional(Type.Enum([...field.values], { description }));
    case "name":
      return Type.Optional(
        Type.String({
          pattern: `^[A-Za-z0-9-]{1,${field.lengthMax}}$`,
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
