/**
 * Calls `run` each time the page becomes visible, and aborts the signal of that call when the page is hidden: over
 * HTTP/1.1, all pages of a browser share six connections to a server, including pages in the back/forward cache. Stops
 * when `signal` aborts.
 */
export function runWhileVisible(signal: AbortSignal, run: (signal: AbortSignal) => void): void {
  let controller: AbortController | null = null;
  const update = () => {
    const isVisible = document.visibilityState === "visible";
    if (isVisible && controller === null) {
      controller = new AbortController();
      run(controller.signal);
    } else if (!isVisible) {
      controller?.abort();
      controller = null;
    }
  };
  document.addEventListener("visibilitychange", update, { signal });
  signal.addEventListener("abort", () => controller?.abort(), { once: true });
  update();
}
