import { notifications } from "@mantine/notifications";
import { ActionToast } from "./action-toast.tsx";

/** Time that the toast is shown: long enough to notice a mistake. */
const TOAST_DURATION_MS = 10_000;

interface UndoToastOptions {
  readonly message: string;
  /** Label of the button. */
  readonly undoLabel: string;
  readonly run: () => Promise<void>;
}

/** Shows the result of an action in a toast with an undo button. */
export function showUndoToast({ message, undoLabel, run }: UndoToastOptions): void {
  const undoOnce = async () => {
    undoFunctions = undoFunctions.filter((candidate) => candidate !== undoOnce);
    await run();
    notifications.hide(id);
  };
  undoFunctions = [...undoFunctions, undoOnce];
  const id = notifications.show({
    autoClose: TOAST_DURATION_MS,
    message: <ActionToast message={message} actionLabel={undoLabel} run={undoOnce} />,
    onClose: () => {
      undoFunctions = undoFunctions.filter((candidate) => candidate !== undoOnce);
    },
  });
}

/** Undoes the newest action that still has a toast; does nothing if there is none. */
export async function undoLastAction(): Promise<void> {
  await undoFunctions.at(-1)?.();
}

/** The undo functions of the visible toasts, newest last. */
let undoFunctions: readonly (() => Promise<void>)[] = [];
