import { useNotifications, type Notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";

/**
 * What is told to a person, in the corner. How it moves is loaded with the first of it, as most visits have none; where
 * that fails, what is told waits, and the next of it tries again.
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
