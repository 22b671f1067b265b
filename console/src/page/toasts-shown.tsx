import { useNotifications, type Notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";

/**
 * Toasts, in the corner. Their code is loaded with the first one, as most visits have none; if that fails, the toast
 * waits, and the next one tries again.
 */
export function Toasts() {
  const { notifications } = useNotifications();
  const count = notifications.length;
  const [shown, setShown] = useState<{ readonly Notifications: typeof Notifications }>();
  const isMissing = shown === undefined;
  useEffect(() => {
    if (isMissing && count > 0) import("@mantine/notifications").then(setShown, () => undefined);
  }, [isMissing, count]);
  return shown && <shown.Notifications position="bottom-right" />;
}
