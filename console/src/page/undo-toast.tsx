import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { ActionButton } from "./action-button.tsx";
import classes from "./undo-toast.module.css";

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
  const id = notifications.show({
    autoClose: SHOWN_MS,
    message: (
      <span className={classes["toast"]}>
        <Text size="sm" component="span">
          {message}
        </Text>
        <ActionButton
          size="compact-sm"
          variant="light"
          run={async () => {
            await run();
            notifications.hide(id);
          }}
        >
          {undo}
        </ActionButton>
      </span>
    ),
  });
}
