import { offerUpdate } from "./worker/update.ts";

const STORAGE_KEY = "tocsin.replaced";
/** Another page has come by then; where none has, as after a link to an app, this one stays. */
const LEAVING_MAX_MS = 10_000;

/**
 * Loads the page anew when a part of it is gone, since the server was updated meanwhile; where something is being typed, it
 * only offers to. It does so once: where the new page fails in the same way, its error is shown.
 */
export function reloadWhenReplaced(): void {
  const isLeaving = watchLeaving();
  addEventListener("vite:preloadError", (event) => {
    if (isLeaving()) {
      event.preventDefault();
      return;
    }
    const [here, before] = [location.pathname, sessionStorage.getItem(STORAGE_KEY)];
    if (before === here || isOutOfReach()) return;
    if (isTyping()) {
      offerUpdate(() => location.reload());
      return;
    }
    sessionStorage.setItem(STORAGE_KEY, here);
    event.preventDefault();
    location.reload();
  });
}

/** Browsers that leave a page stop what it loads: to load it anew would stop them from leaving. */
function watchLeaving(): () => boolean {
  let leftAt = Number.NEGATIVE_INFINITY;
  addEventListener("beforeunload", () => {
    leftAt = performance.now();
  });
  return () => performance.now() - leftAt < LEAVING_MAX_MS;
}

/** Whether loading anew would find nothing: the network is gone, and no worker keeps the page. */
function isOutOfReach(): boolean {
  return !navigator.onLine && !navigator.serviceWorker?.controller;
}

/** Whether something on the page would be lost: what differs from how it was first shown, or an opened dialog. */
function isTyping(): boolean {
  const lines = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    "input, textarea",
  );
  const isChanged = [...lines].some(({ value, defaultValue }) => value !== defaultValue);
  return isChanged || document.querySelector('[role="dialog"]') !== null;
}
