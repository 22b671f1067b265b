import { useNotifications, type Notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";

/** Above dialogs (200), and below menus and lists (300): an open menu is in use, and a toast must not cover its items. */
const Z_INDEX = 250;

/**
 * The toasts, in the corner. Most visits have none, so the first toast loads their code. If loading fails, the toast
 * waits, and the next toast retries.
 */
export function ToastList() {
  const { notifications } = useNotifications();
  const count = notifications.length;
  const [toastModule, setToastModule] = useState<{
    readonly Notifications: typeof Notifications;
  }>();
  const isMissing = toastModule === undefined;
  useEffect(() => {
    if (isMissing && count > 0)
      import("@mantine/notifications").then(setToastModule, () => undefined);
  }, [isMissing, count]);
  return toastModule && <toastModule.Notifications position="bottom-right" zIndex={Z_INDEX} />;
}
