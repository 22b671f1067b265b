import type { FeedItem } from "@tocsin/sdk";
import { make } from "../page/make.ts";

/** Elements of notifications that stay as they are while their notification does: nobody loses place or focus. */
export interface FeedList {
  readonly element: HTMLElement;
  show(items: readonly FeedItem[]): void;
}

/** Returns an empty list whose notifications `draw` makes. */
export function feedList(draw: (item: FeedItem) => HTMLElement): FeedList {
  const element = make("div", { class: "items" });
  const drawn = new Map<string, { readonly item: FeedItem; readonly element: HTMLElement }>();
  const elementOf = (item: FeedItem): HTMLElement => {
    const known = drawn.get(item.id);
    if (known?.item.readAt === item.readAt) return known.element;
    const fresh = draw(item);
    drawn.set(item.id, { item, element: fresh });
    if (known !== undefined) replace(known.element, fresh);
    return fresh;
  };
  const show = (items: readonly FeedItem[]) => {
    for (const [index, item] of items.entries()) {
      const wanted = elementOf(item);
      const present = element.children[index] ?? null;
      // Moving an element takes the focus from it, so only what is not in place moves.
      if (present !== wanted) element.insertBefore(wanted, present);
    }
    while (element.children.length > items.length) element.lastElementChild?.remove();
    const ids = new Set(items.map(({ id }) => id));
    for (const id of drawn.keys()) if (!ids.has(id)) drawn.delete(id);
  };
  return { element, show };
}

function replace(former: HTMLElement, fresh: HTMLElement): void {
  const hadFocus = former.contains(document.activeElement);
  former.replaceWith(fresh);
  if (hadFocus) fresh.focus();
}
