import { useEffect, useState } from "react";

/** Returns the current day; it changes at midnight, even in a page that stays open. */
export function useToday(): string {
  const [today, setToday] = useState(() => new Date().toDateString());
  useEffect(() => {
    const now = new Date();
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
    const timer = setTimeout(
      () => setToday(new Date().toDateString()),
      midnight.getTime() - now.getTime(),
    );
    // After the machine has slept, the timer is late.
    const look = () => setToday(new Date().toDateString());
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [today]);
  return today;
}
