import { useState } from "react";
import { FIRST_STEPS_STORAGE_KEY } from "../accounts/account-context.ts";

/** The progress of an account's first steps in this browser. */
export interface FirstStepsProgress {
  /** Whether a step was started and the steps were not dismissed. */
  readonly hasStarted: boolean;
  readonly start: () => void;
  readonly dismiss: () => void;
}

/** Returns the progress of the account's first steps in this browser. It survives a reload. */
export function useFirstStepsProgress(accountId: string): FirstStepsProgress {
  const [hasStarted, setHasStarted] = useState(
    () => localStorage.getItem(FIRST_STEPS_STORAGE_KEY) === accountId,
  );
  return {
    hasStarted,
    start: () => {
      localStorage.setItem(FIRST_STEPS_STORAGE_KEY, accountId);
      setHasStarted(true);
    },
    dismiss: () => {
      localStorage.removeItem(FIRST_STEPS_STORAGE_KEY);
      setHasStarted(false);
    },
  };
}
