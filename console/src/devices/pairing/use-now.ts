import { useEffect, useState } from "react";

const SECOND_MS = 1_000;

/** Returns the current Unix time in milliseconds. Updates every second. */
export function useNow(): number {
  const [now, setNow] = useState(readClock);
  useEffect(() => {
    const timer = setInterval(() => setNow(readClock()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function readClock(): number {
  return new Date().getTime();
}
