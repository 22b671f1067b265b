import { offerUpdate } from "./worker/update.ts";

const RELOADED_PATH_KEY = "tocsin.replaced";
/** How long after `beforeunload` this page counts as being left. A link to an app fires that event, too, but no page follows. */
const LEAVE_DURATION_MAX_MS = 10_000;

/**
 * Reloads the page if a chunk is missing because the server was updated. If that would lose input, shows a notice with a
 * button that reloads. Does not reload the same path twice in a row: if the new page fails in the same way, the error is
 * shown.
 */
export function reloadOnMissingChunk(): void {
  const isLeaving = trackPageLeave();
  addEventListener("vite:preloadError", (event) => {
    if (isLeaving()) {
      event.preventDefault();
      return;
    }
    const path = location.pathname;
    if (sessionStorage.getItem(RELOADED_PATH_KEY) === path || isReloadImpossible()) return;
    if (hasUnsavedInput()) {
      offerUpdate(() => location.reload());
      return;
    }
    sessionStorage.setItem(RELOADED_PATH_KEY, path);
    event.preventDefault();
    location.reload();
  });
}

/**
 * Returns a function that returns whether the browser is leaving the page. While it leaves, the browser aborts the
 * loading of chunks, and a reload would keep it on this page.
 */
function trackPageLeave(): () => boolean {
  let leaveStartedAt = Number.NEGATIVE_INFINITY;
  addEventListener("beforeunload", () => {
    leaveStartedAt = performance.now();
  });
  return () => performance.now() - leaveStartedAt < LEAVE_DURATION_MAX_MS;
}

/** Returns whether a reload would fail: there is no network and no service worker. */
function isReloadImpossible(): boolean {
  return !navigator.onLine && !navigator.serviceWorker?.controller;
}

/** Returns whether a reload would lose input: a changed field or an open dialog. */
function hasUnsavedInput(): boolean {
  const inputs = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    "input, textarea",
  );
  const isChanged = [...inputs].some(({ value, defaultValue }) => value !== defaultValue);
  return isChanged || document.querySelector('[role="dialog"]') !== null;
}
