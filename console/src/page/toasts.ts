import { notifications } from "@mantine/notifications";
import i18next from "i18next";
import { messageOf } from "../errors.ts";

const ERROR_SHOWN_MS = 10_000;

/** Tells what became of an action, also to screen readers. */
export function say(message: string): void {
  notifications.show({ message, ...closable() });
}

/** Tells why an action failed. */
export function fail(error: unknown): void {
  const message = messageOf(error);
  notifications.show({ message, color: "red", autoClose: ERROR_SHOWN_MS, ...closable() });
}

/** The button that takes one away shows a mark alone, and needs a name: one that no other button has. */
function closable() {
  return { closeButtonProps: { "aria-label": i18next.t("shell.dismiss") } };
}

/** Takes away all that is told. */
export function clearToasts(): void {
  notifications.clean();
}
