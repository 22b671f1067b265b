import { Button, Loader, type ButtonProps } from "@mantine/core";
import { useAction } from "./use-action.ts";

export interface ActionButtonProps extends ButtonProps {
  readonly run: () => Promise<void>;
  /** Called with the error of `run`, in place of a toast. */
  readonly onError?: (error: unknown) => void;
  readonly "aria-label"?: string;
}

/** A button that runs its action once at a time; it keeps the focus meanwhile, which `disabled` would lose. */
export function ActionButton({ run, onError, leftSection, ...props }: ActionButtonProps) {
  const { isRunning, start } = useAction(run, onError);
  const busy = <Loader size={14} color="currentColor" />;
  return (
    <Button
      {...props}
      type="button"
      aria-disabled={isRunning}
      leftSection={isRunning ? busy : leftSection}
      onClick={start}
    />
  );
}
