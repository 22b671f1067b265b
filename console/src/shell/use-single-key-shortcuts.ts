import { useEffect } from "react";
import { showKeyboardHelp } from "./keyboard-help.ts";
import { areSingleKeyShortcutsOn } from "../page/single-key-shortcuts.ts";

const INPUT_SELECTOR = "input, textarea, select, [contenteditable], [role=dialog]";
/** Selects the search field of a page. */
const SEARCH_SELECTOR = "main :is(search, [role=search]) input, main input[type=search]";

/**
 * Listens to the global single-key shortcuts. `/` focuses the page's search field, or calls `onSearch` if there is
 * none. Escape leaves the search field. `?` lists the shortcuts.
 */
export function useSingleKeyShortcuts(onSearch: () => void): void {
  useEffect(() => {
    const controller = new AbortController();
    const handleKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!(target instanceof Element)) return;
      if (key === "Escape" && target.matches(SEARCH_SELECTOR)) leaveSearch();
      if (target.closest(INPUT_SELECTOR) !== null || !areSingleKeyShortcutsOn()) return;
      if (key !== "/" && key !== "?") return;
      event.preventDefault();
      if (key === "?") showKeyboardHelp();
      else enterSearch(onSearch);
    };
    addEventListener("keydown", handleKeyDown, { signal: controller.signal });
    return () => controller.abort();
  }, [onSearch]);
}

function enterSearch(onSearch: () => void): void {
  const field = document.querySelector<HTMLInputElement>(SEARCH_SELECTOR);
  if (field === null) {
    onSearch();
    return;
  }
  field.focus();
  field.select();
}

/** Focuses the main element, where the page's single-key shortcuts work. */
function leaveSearch(): void {
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}
