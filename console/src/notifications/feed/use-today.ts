import { useEffect, useState } from "react";

/** Returns the current day. It changes at midnight, even in a page that stays open. */
export function useToday(): string {
  const [today, setToday] = useState(() => new Date().toDateString());
  useEffect(() => {
    const now = new Date();
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
    const timer = setTimeout(
      () => setToday(new Date().toDateString()),
      midnight.getTime() - now.getTime(),
    );
    // The timer is late if the computer was asleep.
    const update = () => setToday(new Date().toDateString());
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, [today]);
  return today;
}
