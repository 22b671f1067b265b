import type { Static, TSchema, Type as TypeBox } from "typebox";

export type { Static, TSchema };

type SchemaOptions = Readonly<Record<string, unknown>>;

/** The schemas of optional properties: JSON Schema has no keyword for them, and lists only the required ones. */
const optionalSchemas = new WeakSet<object>();

const BUILDERS = {
  String: (options?: SchemaOptions) => ({ type: "string", ...options }),
  Integer: (options?: SchemaOptions) => ({ type: "integer", ...options }),
  Number: (options?: SchemaOptions) => ({ type: "number", ...options }),
  Boolean: (options?: SchemaOptions) => ({ type: "boolean", ...options }),
  Null: (options?: SchemaOptions) => ({ type: "null", ...options }),
  Literal: (value: unknown, options?: SchemaOptions) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: readonly unknown[], options?: SchemaOptions) => ({ enum: values, ...options }),
  Union: (anyOf: readonly object[], options?: SchemaOptions) => ({ anyOf, ...options }),
  Array: (items: object, options?: SchemaOptions) => ({ type: "array", items, ...options }),
  Object: (properties: Readonly<Record<string, object>>, options?: SchemaOptions) => {
    const required = Object.keys(properties).filter(
      (name) => !optionalSchemas.has(properties[name] ?? {}),
    );
    return {
      type: "object",
      ...(required.length > 0 ? { required } : {}),
      properties,
      ...options,
    };
  },
  Optional: (schema: object) => {
    const optional = { ...schema };
    optionalSchemas.add(optional);
    return optional;
  },
  Immutable: (schema: object) => schema,
  Unsafe: (schema: object) => schema,
};

/**
 * Builders of JSON schemas with the static types of typebox. Loading typebox itself (373 modules) would take a tenth of
 * a second of every start, and 20 MB while the server runs.
 */
// These builders return the same schemas as TypeBox's.
export const Type = BUILDERS as unknown as Pick<typeof TypeBox, keyof typeof BUILDERS>;
