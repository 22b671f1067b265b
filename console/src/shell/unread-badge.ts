import { useEffect } from "react";
import { useUnread } from "../notifications/feed/unread.ts";
import { countInTab } from "../page/tab-title.ts";

/** Keeps the tab's title and the badge on the app's icon in step with what is unread; both go with the session. */
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

/** Not every browser has badges, and one may refuse: the number also stands in the page. */
function badge(count: number): void {
  if (!("setAppBadge" in navigator)) return;
  navigator.setAppBadge(count).catch(() => {});
}
