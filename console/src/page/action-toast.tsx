import { Text } from "@mantine/core";
import { ActionButton } from "./action-button.tsx";
import classes from "./action-toast.module.css";

interface ActionToastProps {
  readonly message: string;
  /** Label of the button. */
  readonly actionLabel: string;
  readonly run: () => Promise<void>;
}

/** The content of a toast with a button. */
export function ActionToast({ message, actionLabel, run }: ActionToastProps) {
  return (
    <span className={classes["toast"]}>
      <Text size="sm" component="span">
        {message}
      </Text>
      <ActionButton size="compact-sm" variant="light" run={run}>
        {actionLabel}
      </ActionButton>
    </span>
  );
}
