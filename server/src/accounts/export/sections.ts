/** One section of an account's export: a value, or a list that is read page by page. */
export type ExportSection =
  | { readonly name: string; readonly value: unknown }
  | { readonly name: string; readonly items: AsyncIterable<unknown> };

/** Maximum number of items in memory. */
export const EXPORT_PAGE_MAX = 100;

/** Yields all items of a list. `page` returns up to 100 items after an id. */
export async function* readAll<T extends { readonly id: string }>(
  page: (after: string | null) => Promise<readonly T[]>,
): AsyncGenerator<T, void> {
  let after: string | null = null;
  for (;;) {
    const items: readonly T[] = await page(after);
    yield* items;
    const last = items.at(-1);
    if (last === undefined || items.length < EXPORT_PAGE_MAX) return;
    after = last.id;
  }
}

/** Yields one JSON object with all sections as its members, in chunks. */
export async function* writeSections(
  parts: readonly ExportSection[],
): AsyncGenerator<string, void> {
  let opening = "{";
  for (const part of parts) {
    yield `${opening}\n${JSON.stringify(part.name)}: `;
    opening = ",";
    if ("items" in part) yield* writeItems(part.items);
    else yield JSON.stringify(part.value);
  }
  yield "\n}\n";
}

async function* writeItems(items: AsyncIterable<unknown>): AsyncGenerator<string, void> {
  let opening = "[";
  for await (const item of items) {
    yield `${opening}\n  ${JSON.stringify(item)}`;
    opening = ",";
  }
  yield opening === "[" ? "[]" : "\n]";
}
