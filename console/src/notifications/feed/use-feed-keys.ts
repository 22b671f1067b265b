import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { useLayoutEffect, type RefObject } from "react";
import { showError } from "../../page/toasts.ts";
import { undoLast } from "../../page/undo-toast.tsx";
import { PATHS } from "../../paths.ts";
import { areSingleKeysOn } from "../../page/single-keys.ts";
import { markRead, markUnread } from "./feed-queries.ts";
import { useDelete } from "./use-delete.ts";

interface FeedKeysInput {
  readonly items: readonly FeedItem[];
  readonly openedId: string | null;
}

/**
 * Listens to the single-key shortcuts of the feed: j and k open the next and the previous notification, u toggles read and
 * unread, Delete deletes, z undoes the last action. They work only in the feed and outside inputs (WCAG 2.2, 2.1.4).
 */
export function useFeedKeys(page: RefObject<HTMLElement | null>, input: FeedKeysInput): void {
  const { items, openedId } = input;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useDelete();
  // Runs before the paint, because the next key press may follow immediately.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const openedIndex = items.findIndex(({ id }) => id === openedId);
    const opened = items[openedIndex];
    const open = (item: FeedItem | undefined) => {
      if (item === undefined) return;
      const replace = openedId !== null;
      const target = { to: PATHS.notification, params: { id: item.id }, search: true } as const;
      void navigate({ ...target, replace, resetScroll: false });
    };
    const actions: Readonly<Record<string, () => void>> = {
      j: () => open(items[openedIndex + 1]),
      k: () => open(items[openedIndex - 1]),
      u: () => {
        if (opened === undefined) return;
        const change = opened.readAt === null ? markRead : markUnread;
        change(queryClient, opened).catch(showError);
      },
      Delete: () => {
        if (opened !== undefined) remove([opened]).catch(showError);
      },
      z: () => void undoLast().catch(showError),
    };
    const listen = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isTyping = target instanceof Element && target.closest("input, textarea, select");
      if (ctrlKey || metaKey || altKey || isTyping || !Object.hasOwn(actions, key)) return;
      if (!areSingleKeysOn()) return;
      event.preventDefault();
      actions[key]?.();
    };
    page.current?.addEventListener("keydown", listen, { signal: controller.signal });
    return () => controller.abort();
  }, [page, items, openedId, queryClient, navigate, remove]);
}
