import { offerUpdate } from "./worker/update.ts";

const STORAGE_KEY = "tocsin.replaced";
/** Time after which another page has come; if none has, as after a link to an app, this one stays. */
const LEAVING_MAX_MS = 10_000;

/**
 * Reloads the page when a part of it is gone, since the server was updated meanwhile; while something is being typed,
 * it only offers to. It does so once: if the new page fails in the same way, its error is shown.
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

/** A browser that leaves a page stops its loading: a reload would stop it from leaving. */
function watchLeaving(): () => boolean {
  let leftAt = Number.NEGATIVE_INFINITY;
  addEventListener("beforeunload", () => {
    leftAt = performance.now();
  });
  return () => performance.now() - leftAt < LEAVING_MAX_MS;
}

/** Returns whether a reload would find nothing: the network is gone, and no worker keeps the page. */
function isOutOfReach(): boolean {
  return !navigator.onLine && !navigator.serviceWorker?.controller;
}

/** Returns whether a reload would lose something: a changed input, or an opened dialog. */
function isTyping(): boolean {
  const lines = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    "input, textarea",
  );
  const isChanged = [...lines].some(({ value, defaultValue }) => value !== defaultValue);
  return isChanged || document.querySelector('[role="dialog"]') !== null;
}
