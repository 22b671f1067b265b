import { notifications } from "@mantine/notifications";
import { ActionToast } from "./action-toast.tsx";

/** Long enough to notice a mistake. */
const SHOWN_MS = 10_000;

export interface UndoToast {
  readonly message: string;
  /** What the button says. */
  readonly undo: string;
  readonly run: () => Promise<void>;
}

/** Tells what became of an action, and offers to undo it. */
export function sayWithUndo({ message, undo, run }: UndoToast): void {
  const undone = async () => {
    await run();
    notifications.hide(id);
  };
  const id = notifications.show({
    autoClose: SHOWN_MS,
    message: <ActionToast message={message} action={undo} run={undone} />,
  });
}
