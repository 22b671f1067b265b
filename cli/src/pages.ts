import type { Page, PageQuery } from "@tocsin/sdk";

/** The app API's largest page. */
const PAGE_MAX = 200;

/** Yields the items of all pages of a list. A page of a search may be empty and still have a successor. */
export async function* iterateItems<T>(
  list: (query: PageQuery) => Promise<Page<T>>,
  pageSize = PAGE_MAX,
): AsyncGenerator<T, void> {
  const firstQuery = { limit: Math.min(pageSize, PAGE_MAX) };
  let page = await list(firstQuery);
  for (;;) {
    yield* page.items;
    if (page.nextCursor === null) return;
    page = await list({ ...firstQuery, cursor: page.nextCursor });
  }
}

/** Returns the first items of a list, at most `limit`, and whether the list has no others. */
export async function readFirstItems<T>(
  list: (query: PageQuery) => Promise<Page<T>>,
  limit: number,
): Promise<{ readonly items: readonly T[]; readonly isComplete: boolean }> {
  const items: T[] = [];
  for await (const item of iterateItems(list, limit + 1)) {
    if (items.length === limit) return { items, isComplete: false };
    items.push(item);
  }
  return { items, isComplete: true };
}
