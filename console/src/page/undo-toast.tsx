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

/** Undoes what was offered last and is still shown; nothing where there is none. */
export async function undoLast(): Promise<void> {
  await offered.at(-1)?.();
}

/** What undoes each of the actions that are told of, the last one last. */
let offered: readonly (() => Promise<void>)[] = [];
