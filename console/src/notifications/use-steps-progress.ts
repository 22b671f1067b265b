import { useState } from "react";
import { STEPS_KEY } from "../accounts/account-context.ts";

/** The progress of an account's first steps in this browser. */
export interface StepsProgress {
  /** Whether a step was started and the steps were not dismissed. */
  readonly hasStarted: boolean;
  readonly start: () => void;
  readonly dismiss: () => void;
}

/** Returns the progress of the account's first steps in this browser. It survives a reload. */
export function useStepsProgress(accountId: string): StepsProgress {
  const [hasStarted, setStarted] = useState(() => localStorage.getItem(STEPS_KEY) === accountId);
  return {
    hasStarted,
    start: () => {
      localStorage.setItem(STEPS_KEY, accountId);
      setStarted(true);
    },
    dismiss: () => {
      localStorage.removeItem(STEPS_KEY);
      setStarted(false);
    },
  };
}
