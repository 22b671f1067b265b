import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { useLayoutEffect, type RefObject } from "react";
import { showError } from "../../page/toasts.ts";
import { undoLastAction } from "../../page/undo-toast.tsx";
import { PATHS } from "../../paths.ts";
import { areSingleKeyShortcutsOn } from "../../page/single-key-shortcuts.ts";
import { markRead, markUnread } from "./feed-queries.ts";
import { useDeleteItems } from "./use-delete-items.ts";

interface FeedShortcutsInput {
  readonly items: readonly FeedItem[];
  readonly openedId: string | null;
}

/**
 * Listens to the single-key shortcuts of the feed: j and k open the next and the previous notification, u toggles read
 * and unread, Delete deletes, z undoes the last action. The shortcuts work only while the focus is in the feed and not
 * in a text field (WCAG 2.2, 2.1.4).
 */
export function useFeedShortcuts(
  page: RefObject<HTMLElement | null>,
  input: FeedShortcutsInput,
): void {
  const { items, openedId } = input;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const deleteItems = useDeleteItems();
  // Runs before the paint, because the next key press may follow immediately.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const openedIndex = items.findIndex(({ id }) => id === openedId);
    const openedItem = items[openedIndex];
    const openItem = (item: FeedItem | undefined) => {
      if (item === undefined) return;
      const replace = openedId !== null;
      const target = { to: PATHS.notification, params: { id: item.id }, search: true } as const;
      void navigate({ ...target, replace, resetScroll: false });
    };
    const actions: Readonly<Record<string, () => void>> = {
      j: () => openItem(items[openedIndex + 1]),
      k: () => openItem(items[openedIndex - 1]),
      u: () => {
        if (openedItem === undefined) return;
        const setReadState = openedItem.readAt === null ? markRead : markUnread;
        setReadState(queryClient, openedItem).catch(showError);
      },
      Delete: () => {
        if (openedItem !== undefined) deleteItems([openedItem]).catch(showError);
      },
      z: () => void undoLastAction().catch(showError),
    };
    const handleKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isTyping = target instanceof Element && target.closest("input, textarea, select");
      if (ctrlKey || metaKey || altKey || isTyping || !Object.hasOwn(actions, key)) return;
      if (!areSingleKeyShortcutsOn()) return;
      event.preventDefault();
      actions[key]?.();
    };
    page.current?.addEventListener("keydown", handleKeyDown, { signal: controller.signal });
    return () => controller.abort();
  }, [page, items, openedId, queryClient, navigate, deleteItems]);
}
