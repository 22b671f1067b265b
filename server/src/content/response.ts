import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";
import { Type, type TSchema } from "#schema/json-schema.ts";

type ContentFieldName = keyof NotificationContent;

/** Responses have listed the channel before the sound since the first version. */
const { title, body, channel, ...others } = CONTENT_FIELDS;
const ORDERED_FIELDS = { title, body, channel, ...others } satisfies Readonly<
  Record<ContentFieldName, ContentField>
>;
const FIELD_NAMES = Object.keys(ORDERED_FIELDS) as readonly ContentFieldName[]; // The keys of `ORDERED_FIELDS`.

/** The JSON schema properties of a response that contains a notification's content. */
export const CONTENT_RESPONSE_PROPERTIES = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, toSchema(ORDERED_FIELDS[name])]),
) as {
  readonly [Field in ContentFieldName]: ReturnType<typeof Type.Unsafe<NotificationContent[Field]>>;
}; // One schema for each field, by its kind.

/** Returns only the content fields of an object, in the order of responses. */
export function pickContent(source: NotificationContent): NotificationContent {
  return Object.fromEntries(
    FIELD_NAMES.map((name) => [name, source[name]]),
  ) as unknown as NotificationContent; // Contains each field.
}

function toSchema(field: ContentField): TSchema {
  const { kind } = field;
  if (kind === "flag") return Type.Boolean();
  if (kind === "level") return Type.String({ enum: [...field.values] });
  const isRequired = kind === "text" || kind === "name";
  return isRequired ? Type.String() : Type.Union([Type.String(), Type.Null()]);
}
