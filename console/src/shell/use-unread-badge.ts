import { useEffect } from "react";
import { useUnread } from "../notifications/feed/use-unread.ts";
import { setTabUnread } from "../page/tab-title.ts";

/** Shows the unread count in the tab's title and on the app's icon. Removes both when the session ends. */
export function useUnreadBadge(): void {
  const unread = useUnread();
  useEffect(() => {
    setTabUnread(unread);
    setAppBadge(unread);
  }, [unread]);
  useEffect(
    () => () => {
      setTabUnread(0);
      setAppBadge(0);
    },
    [],
  );
}

/** Sets the badge of the app's icon. Ignores a failure, because the page also shows the number. */
function setAppBadge(count: number): void {
  if (!("setAppBadge" in navigator)) return;
  navigator.setAppBadge(count).catch(() => {});
}
