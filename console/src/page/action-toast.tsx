import { Text } from "@mantine/core";
import { ActionButton } from "./action-button.tsx";
import classes from "./action-toast.module.css";

export interface ActionToastProps {
  readonly message: string;
  /** What the button says. */
  readonly action: string;
  readonly run: () => Promise<void>;
}

/** What stands in a toast that offers to do something about what it tells. */
export function ActionToast({ message, action, run }: ActionToastProps) {
  return (
    <span className={classes["toast"]}>
      <Text size="sm" component="span">
        {message}
      </Text>
      <ActionButton size="compact-sm" variant="light" run={run}>
        {action}
      </ActionButton>
    </span>
  );
}
