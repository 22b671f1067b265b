import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { useLayoutEffect, type RefObject } from "react";
import { fail } from "../../page/toasts.ts";
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
 * Listens to single keys inside the page: j and k open the next and the previous notification, u toggles read and
 * unread, Delete deletes, z undoes the last action. Keys work only there and outside of inputs (WCAG 2.2, 2.1.4).
 */
export function useFeedKeys(page: RefObject<HTMLElement | null>, input: FeedKeysInput): void {
  const { items, openedId } = input;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useDelete();
  // Before the paint: the next key may come sooner.
  useLayoutEffect(() => {
    const view = new AbortController();
    const at = items.findIndex(({ id }) => id === openedId);
    const opened = items[at];
    const open = (item: FeedItem | undefined) => {
      if (item === undefined) return;
      const replace = openedId !== null;
      const to = { to: PATHS.notification, params: { id: item.id }, search: true } as const;
      void navigate({ ...to, replace, resetScroll: false });
    };
    const acts: Readonly<Record<string, () => void>> = {
      j: () => open(items[at + 1]),
      k: () => open(items[at - 1]),
      u: () => {
        if (opened === undefined) return;
        const change = opened.readAt === null ? markRead : markUnread;
        change(queryClient, opened).catch(fail);
      },
      Delete: () => {
        if (opened !== undefined) remove([opened]).catch(fail);
      },
      z: () => void undoLast().catch(fail),
    };
    const listen = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isTyping = target instanceof Element && target.closest("input, textarea, select");
      if (ctrlKey || metaKey || altKey || isTyping || !Object.hasOwn(acts, key)) return;
      if (!areSingleKeysOn()) return;
      event.preventDefault();
      acts[key]?.();
    };
    page.current?.addEventListener("keydown", listen, { signal: view.signal });
    return () => view.abort();
  }, [page, items, openedId, queryClient, navigate, remove]);
}
