/**
 * Runs `act` whenever the page becomes visible, and aborts it when the page is hidden: browsers allow one server six
 * connections over HTTP/1.1 for all pages together, including those kept for going back. Ends with the signal.
 */
export function whileVisible(signal: AbortSignal, act: (signal: AbortSignal) => void): void {
  let seen: AbortController | null = null;
  const follow = () => {
    const isVisible = document.visibilityState === "visible";
    if (isVisible && seen === null) {
      seen = new AbortController();
      act(seen.signal);
    } else if (!isVisible) {
      seen?.abort();
      seen = null;
    }
  };
  document.addEventListener("visibilitychange", follow, { signal });
  signal.addEventListener("abort", () => seen?.abort(), { once: true });
  follow();
}
