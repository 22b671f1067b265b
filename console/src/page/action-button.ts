import { makeButton } from "./make.ts";
import type { Status } from "./status.ts";

/** What a button does, and where it tells how that went. */
export interface Action {
  readonly label: string;
  readonly className?: string;
  readonly status: Status;
  readonly run: () => Promise<void>;
}

/** Returns a button that runs its action once at a time; it keeps the focus meanwhile, as `disabled` would not. */
export function actionButton({ label, className = "", status, run }: Action): HTMLButtonElement {
  let isRunning = false;
  const start = async () => {
    if (isRunning) return;
    isRunning = true;
    button.setAttribute("aria-disabled", "true");
    status.clear();
    try {
      await run();
    } catch (error) {
      status.fail(error);
    } finally {
      isRunning = false;
      button.removeAttribute("aria-disabled");
    }
  };
  const button = makeButton(label, { className, onClick: () => void start() });
  return button;
}
