import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";
import { Type, type TSchema } from "#schema/json-schema.ts";

type Name = keyof NotificationContent;

/** Answers list the channel before the sound since the first version. */
const { title, body, channel, ...others } = CONTENT_FIELDS;
const FIELDS = { title, body, channel, ...others } satisfies Readonly<Record<Name, ContentField>>;
const NAMES = Object.keys(FIELDS) as readonly Name[]; // Its keys.

/** The properties of an answer that carries a notification's content. */
export const ANSWER_PROPERTIES = Object.fromEntries(
  NAMES.map((name) => [name, schemaOf(FIELDS[name])]),
) as { readonly [Field in Name]: ReturnType<typeof Type.Unsafe<NotificationContent[Field]>> }; // One of each field, by its kind.

/** Returns the content of what carries one, as answers show it. */
export function contentOf(carrier: NotificationContent): NotificationContent {
  return Object.fromEntries(
    NAMES.map((name) => [name, carrier[name]]),
  ) as unknown as NotificationContent; // Each field.
}

function schemaOf({ kind }: ContentField): TSchema {
  if (kind === "flag") return Type.Boolean();
  const isAlwaysThere = kind === "text" || kind === "name";
  return isAlwaysThere ? Type.String() : Type.Union([Type.String(), Type.Null()]);
}
