import { Type } from "#schema/json-schema.ts";
import { invalidField } from "#errors.ts";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";

/** The number of items in a page if the caller does not give a limit. */
const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;
/** The characters and the length of an id in a cursor. */
const ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** The schema of the query parameters of every list. */
export const PageQuery = Type.Object({
  limit: Type.Optional(
    addDocumentedKeywords(
      Type.String({ description: `1 to ${LIMIT_MAX}; default ${LIMIT_DEFAULT}.` }),
      {
        // Every whole number from 1 to `LIMIT_MAX`.
        pattern: "^(?:[1-9][0-9]?|1[0-9]{2}|200)$",
      },
    ),
  ),
  cursor: Type.Optional(Type.String({ description: "The `nextCursor` of the previous page." })),
});

/** The requested part of a list: at most `limit` items after the id `after`, in the list's order. */
export interface PageRequest {
  readonly limit: number;
  readonly after: string | null;
}

/** Returns the part of a list that a query asks for; throws `invalid_field` for an invalid limit or cursor. */
export function parsePage(query: { limit?: string; cursor?: string }): PageRequest {
  const value = query.limit ?? String(LIMIT_DEFAULT);
  const limit = Number(value);
  if (!/^[1-9]\d*$/.test(value) || limit > LIMIT_MAX) {
    throw invalidField("limit", `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  }
  return { limit, after: query.cursor === undefined ? null : decodeCursor(query.cursor) };
}

/** Returns the response body of a list from up to `limit + 1` items. The extra item shows that there is a next page. */
export function toPage<T extends { readonly id: string }>(items: readonly T[], limit: number) {
  const pageItems = items.slice(0, limit);
  return toPageWithCursor(pageItems, items.length > limit ? (pageItems.at(-1)?.id ?? null) : null);
}

/** Returns the response body of a list that continues after an id; null means that there is no next page. */
export function toPageWithCursor<T>(items: readonly T[], after: string | null) {
  return { items: [...items], nextCursor: after === null ? null : encodeCursor(after) };
}

/** Returns the cursor of a list that continues after an id. */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString("base64url");
}

/** Returns the id of a cursor; throws `invalid_field` for an invalid one. */
export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!ID_PATTERN.test(id)) {
    throw invalidField("cursor", "cursor must be the nextCursor of the previous page.");
  }
  return id;
}
