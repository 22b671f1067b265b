import { useEffect, useState } from "react";

const TICK_MS = 1_000;

/** Returns the Unix time in milliseconds, updated every second while `isTicking`. */
export function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => new Date().getTime());
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(new Date().getTime()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
