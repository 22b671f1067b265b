import { useEffect } from "react";
import { showKeyboardHelp } from "./keyboard-help.ts";
import { areSingleKeyShortcutsOn } from "../page/single-key-shortcuts.ts";

/** Selects elements in which a key is input, and dialogs, where the page's shortcuts are off. */
const INPUT_OR_DIALOG_SELECTOR = "input, textarea, select, [contenteditable], [role=dialog]";
/** Selects the search field of the current page. */
const SEARCH_FIELD_SELECTOR = "main :is(search, [role=search]) input, main input[type=search]";

/**
 * Handles the single-key shortcuts that work on every page. `/` focuses the page's search field, or calls `onSearch` if
 * the page has none. Escape leaves the search field. `?` lists the shortcuts.
 */
export function useSingleKeyShortcuts(onSearch: () => void): void {
  useEffect(() => {
    const controller = new AbortController();
    const handleKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!(target instanceof Element)) return;
      if (key === "Escape" && target.matches(SEARCH_FIELD_SELECTOR)) leaveSearchField();
      if (target.closest(INPUT_OR_DIALOG_SELECTOR) !== null || !areSingleKeyShortcutsOn()) return;
      if (key !== "/" && key !== "?") return;
      event.preventDefault();
      if (key === "?") showKeyboardHelp();
      else focusSearchField(onSearch);
    };
    addEventListener("keydown", handleKeyDown, { signal: controller.signal });
    return () => controller.abort();
  }, [onSearch]);
}

function focusSearchField(onSearch: () => void): void {
  const field = document.querySelector<HTMLInputElement>(SEARCH_FIELD_SELECTOR);
  if (field === null) {
    onSearch();
    return;
  }
  field.focus();
  field.select();
}

/** Moves the focus to the main element, where single-key shortcuts work again. */
function leaveSearchField(): void {
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}
