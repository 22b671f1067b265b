import { notifications } from "@mantine/notifications";
import i18next from "i18next";
import { messageOf } from "../errors.ts";

const ERROR_SHOWN_MS = 10_000;

/** Shows the result of an action in a toast, also to screen readers. */
export function say(message: string): void {
  notifications.show({ message, ...closable() });
}

/** Shows the error of an action in a toast. */
export function fail(error: unknown): void {
  const message = messageOf(error);
  notifications.show({ message, color: "red", autoClose: ERROR_SHOWN_MS, ...closable() });
}

/** The close button shows an icon alone and needs a name that no other button has. */
function closable() {
  return { closeButtonProps: { "aria-label": i18next.t("shell.dismiss") } };
}

/** Removes all toasts. */
export function clearToasts(): void {
  notifications.clean();
}
