import { useEffect } from "react";
import { useUnreadCount } from "../notifications/feed/use-unread-count.ts";
import { setTabUnreadCount } from "../page/tab-title.ts";

/** Shows the unread count in the tab's title and on the app's icon. Removes both when the session ends. */
export function useUnreadBadge(): void {
  const unreadCount = useUnreadCount();
  useEffect(() => {
    setTabUnreadCount(unreadCount);
    setAppBadge(unreadCount);
  }, [unreadCount]);
  useEffect(
    () => () => {
      setTabUnreadCount(0);
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
