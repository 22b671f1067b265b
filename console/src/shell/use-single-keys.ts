import { useEffect } from "react";
import { showKeys } from "./keys-shown.ts";
import { areSingleKeysOn } from "../page/single-keys.ts";

const FIELDS = "input, textarea, select, [contenteditable], [role=dialog]";
/** The search field of a page. */
const SEARCHES = "main :is(search, [role=search]) input, main input[type=search]";

/**
 * Listens to the keys that work everywhere: `/` puts the cursor into the page's search, else opens `search`; Escape
 * leaves it; `?` lists the keys.
 */
export function useSingleKeys(search: () => void): void {
  useEffect(() => {
    const view = new AbortController();
    const listen = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!(target instanceof Element)) return;
      if (key === "Escape" && target.matches(SEARCHES)) leaveSearch();
      if (target.closest(FIELDS) !== null || !areSingleKeysOn()) return;
      if (key !== "/" && key !== "?") return;
      event.preventDefault();
      if (key === "?") showKeys();
      else enterSearch(search);
    };
    addEventListener("keydown", listen, { signal: view.signal });
    return () => view.abort();
  }, [search]);
}

function enterSearch(search: () => void): void {
  const field = document.querySelector<HTMLInputElement>(SEARCHES);
  if (field === null) {
    search();
    return;
  }
  field.focus();
  field.select();
}

/** Single keys of the page work from there. */
function leaveSearch(): void {
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}
