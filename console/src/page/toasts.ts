import { notifications } from "@mantine/notifications";
import { messageOf } from "../errors.ts";

const ERROR_SHOWN_MS = 10_000;

/** Tells what became of an action, also to screen readers. */
export function say(message: string): void {
  notifications.show({ message });
}

/** Tells why an action failed. */
export function fail(error: unknown): void {
  notifications.show({ message: messageOf(error), color: "red", autoClose: ERROR_SHOWN_MS });
}

/** Takes away all that is told. */
export function clearToasts(): void {
  notifications.clean();
}
