import { useEffect, useState } from "react";

const UPDATE_INTERVAL_MS = 1_000;

/** Returns the current Unix time in milliseconds. Updates every second while `isTicking`. */
export function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => new Date().getTime());
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(new Date().getTime()), UPDATE_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
