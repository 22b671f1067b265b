import { Type, type TSchema } from "#json-schema.ts";

/** What may be known to be absent. */
export function Nullable<T extends TSchema>(type: T) {
  return Type.Union([type, Type.Null()]);
}

/** A moment as an RFC 3339 string in UTC. */
export const Timestamp = Type.String({ format: "date-time" });

/** The path of an operation on one thing. */
export const IdParams = Type.Object({ id: Type.String() });

/** The answer of a list. */
export function PageAnswer<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Immutable(Type.Array(item)),
    nextCursor: Nullable(Type.String()),
  });
}
