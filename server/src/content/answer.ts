import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";
import { Type, type TSchema } from "#schema/json-schema.ts";

type Name = keyof NotificationContent;

/** Responses have listed the channel before the sound since the first version. */
const { title, body, channel, ...others } = CONTENT_FIELDS;
const FIELDS = { title, body, channel, ...others } satisfies Readonly<Record<Name, ContentField>>;
const NAMES = Object.keys(FIELDS) as readonly Name[]; // The keys of `FIELDS`.

/** The properties of a response that contains a notification's content. */
export const ANSWER_PROPERTIES = Object.fromEntries(
  NAMES.map((name) => [name, schemaOf(FIELDS[name])]),
) as { readonly [Field in Name]: ReturnType<typeof Type.Unsafe<NotificationContent[Field]>> }; // One schema for each field, by its kind.

/** Returns the content of a notification, as responses show it. */
export function contentOf(carrier: NotificationContent): NotificationContent {
  return Object.fromEntries(
    NAMES.map((name) => [name, carrier[name]]),
  ) as unknown as NotificationContent; // Contains each field.
}

function schemaOf({ kind }: ContentField): TSchema {
  if (kind === "flag") return Type.Boolean();
  const isRequired = kind === "text" || kind === "name";
  return isRequired ? Type.String() : Type.Union([Type.String(), Type.Null()]);
}
