import type { Context } from "#context.ts";
import { Type, type TSchema } from "#schema/json-schema.ts";
import { findExtras } from "./store.ts";

/** The schema of a notification's extras in an account export. */
const ExtrasSchema = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
  description: "The parts of the notification that only apps such as ntfy and Gotify can show.",
});

/** Returns the schema of a notification with its extras. */
export function addExtrasSchema<Properties extends Record<string, TSchema>>({
  properties,
}: {
  readonly properties: Properties;
}) {
  return Type.Object({ ...properties, extras: ExtrasSchema });
}

/** Returns notifications with their extras, which are null for a notification without any. */
export async function addExtras<Item extends { readonly id: string }>(
  context: Pick<Context, "database">,
  items: readonly Item[],
): Promise<readonly (Item & { readonly extras: unknown })[]> {
  const extras = await findExtras(
    context,
    items.map(({ id }) => id),
  );
  return items.map((item) => {
    const text = extras.get(item.id);
    return { ...item, extras: text === undefined ? null : (JSON.parse(text) as unknown) };
  });
}
