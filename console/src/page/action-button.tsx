import { Button, Loader, type ButtonProps } from "@mantine/core";
import { useAction } from "./use-action.ts";

export interface ActionButtonProps extends ButtonProps {
  readonly run: () => Promise<void>;
  /** Called with the error of `run`. By default, a toast shows it. */
  readonly onError?: (error: unknown) => void;
  readonly "aria-label"?: string;
}

/** A button that runs its action once at a time. It is not `disabled` during that time, which would lose the focus. */
export function ActionButton({ run, onError, leftSection, ...props }: ActionButtonProps) {
  const { isRunning, start } = useAction(run, onError);
  const loader = <Loader size={14} color="currentColor" />;
  return (
    <Button
      {...props}
      type="button"
      aria-disabled={isRunning}
      leftSection={isRunning ? loader : leftSection}
      onClick={start}
    />
  );
}
