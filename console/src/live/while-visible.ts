/**
 * Runs `act` each time the page becomes visible, and aborts it when the page is hidden. Over HTTP/1.1, all pages of a
 * browser share six connections to a server, including pages in the back/forward cache. Ends with the signal.
 */
export function whileVisible(signal: AbortSignal, act: (signal: AbortSignal) => void): void {
  let controller: AbortController | null = null;
  const update = () => {
    const isVisible = document.visibilityState === "visible";
    if (isVisible && controller === null) {
      controller = new AbortController();
      act(controller.signal);
    } else if (!isVisible) {
      controller?.abort();
      controller = null;
    }
  };
  document.addEventListener("visibilitychange", update, { signal });
  signal.addEventListener("abort", () => controller?.abort(), { once: true });
  update();
}
