import { useEffect } from "react";
import { useUnread } from "../notifications/feed/unread.ts";
import { countInTab } from "../page/tab-title.ts";

/** Keeps the tab's title and the badge on the app's icon in step with the unread count; both end with the session. */
export function useUnreadBadge(): void {
  const unread = useUnread();
  useEffect(() => {
    countInTab(unread);
    badge(unread);
  }, [unread]);
  useEffect(
    () => () => {
      countInTab(0);
      badge(0);
    },
    [],
  );
}

/** Badges are missing in some browsers, and may be refused: the number is also in the page. */
function badge(count: number): void {
  if (!("setAppBadge" in navigator)) return;
  navigator.setAppBadge(count).catch(() => {});
}
