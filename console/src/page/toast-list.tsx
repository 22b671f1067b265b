import { useNotifications, type Notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";

/**
 * The toasts, in the corner. Most visits have none, so their code is loaded with the first one. If that fails, the toast
 * waits and the next one retries.
 */
export function ToastList() {
  const { notifications } = useNotifications();
  const count = notifications.length;
  const [module, setModule] = useState<{ readonly Notifications: typeof Notifications }>();
  const isMissing = module === undefined;
  useEffect(() => {
    if (isMissing && count > 0) import("@mantine/notifications").then(setModule, () => undefined);
  }, [isMissing, count]);
  return module && <module.Notifications position="bottom-right" />;
}
