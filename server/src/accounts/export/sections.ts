/** One section of an account's export: a value, or a list that is read page by page. */
export type ExportSection =
  | { readonly name: string; readonly value: unknown }
  | { readonly name: string; readonly items: AsyncIterable<unknown> };

/** Maximum number of items of a list in memory. */
export const EXPORT_PAGE_MAX = 100;

/** Yields all items of a list. `readPage` returns up to `EXPORT_PAGE_MAX` items after an id. */
export async function* readAll<T extends { readonly id: string }>(
  readPage: (after: string | null) => Promise<readonly T[]>,
): AsyncGenerator<T, void> {
  let after: string | null = null;
  for (;;) {
    const items: readonly T[] = await readPage(after);
    yield* items;
    const last = items.at(-1);
    if (last === undefined || items.length < EXPORT_PAGE_MAX) return;
    after = last.id;
  }
}

/** Yields one JSON object with all sections as its members, in chunks. */
export async function* writeSections(
  sections: readonly ExportSection[],
): AsyncGenerator<string, void> {
  let opening = "{";
  for (const section of sections) {
    yield `${opening}\n${JSON.stringify(section.name)}: `;
    opening = ",";
    if ("items" in section) yield* writeItems(section.items);
    else yield JSON.stringify(section.value);
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
