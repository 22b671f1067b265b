import { notifications } from "@mantine/notifications";
import i18next from "i18next";
import { getErrorMessage } from "../errors.ts";

const ERROR_DURATION_MS = 10_000;

/** Shows the result of an action in a toast. Screen readers announce it. */
export function showToast(message: string): void {
  notifications.show({ message, ...createCloseButtonProps() });
}

/** Shows the error of an action in a toast. */
export function showError(error: unknown): void {
  const message = getErrorMessage(error);
  notifications.show({
    message,
    color: "red",
    autoClose: ERROR_DURATION_MS,
    ...createCloseButtonProps(),
  });
}

/** Returns the props that name the close button, which shows only an icon. */
function createCloseButtonProps() {
  return { closeButtonProps: { "aria-label": i18next.t("shell.dismiss") } };
}

/** Removes all toasts. */
export function clearToasts(): void {
  notifications.clean();
}
