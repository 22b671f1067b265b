import { notifications } from "@mantine/notifications";
import { ActionToast } from "./action-toast.tsx";

/** Time that a toast stays: long enough to notice a mistake. */
const SHOWN_MS = 10_000;

export interface UndoToast {
  readonly message: string;
  /** Label of the button. */
  readonly undo: string;
  readonly run: () => Promise<void>;
}

/** Shows the result of an action, and offers to undo it. */
export function sayWithUndo({ message, undo, run }: UndoToast): void {
  const undone = async () => {
    offered = offered.filter((one) => one !== undone);
    await run();
    notifications.hide(id);
  };
  offered = [...offered, undone];
  const id = notifications.show({
    autoClose: SHOWN_MS,
    message: <ActionToast message={message} action={undo} run={undone} />,
    onClose: () => {
      offered = offered.filter((one) => one !== undone);
    },
  });
}

/** Undoes the last action whose toast is still shown; does nothing if there is none. */
export async function undoLast(): Promise<void> {
  await offered.at(-1)?.();
}

/** Undo functions of the shown toasts, the latest last. */
let offered: readonly (() => Promise<void>)[] = [];
