const STORAGE_KEY = "tocsin.replaced";

/**
 * Loads the page anew when a part of it is gone, since the server was updated meanwhile. It does so once: where the new page
 * fails in the same way, its error is shown.
 */
export function reloadWhenReplaced(): void {
  addEventListener("vite:preloadError", (event) => {
    const [here, before] = [location.pathname, sessionStorage.getItem(STORAGE_KEY)];
    if (before === here) return;
    sessionStorage.setItem(STORAGE_KEY, here);
    event.preventDefault();
    location.reload();
  });
}
