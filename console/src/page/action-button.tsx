import { Button, Loader, type ButtonProps } from "@mantine/core";
import { useAction } from "./use-action.ts";

interface ActionButtonProps extends ButtonProps {
  readonly run: () => Promise<void>;
  /** Called with the error of `run`. By default, a toast shows it. */
  readonly onError?: (error: unknown) => void;
  readonly "aria-label"?: string;
}

/**
 * A button whose action cannot run twice at the same time. It is not `disabled` meanwhile, because it would lose the
 * focus.
 */
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
