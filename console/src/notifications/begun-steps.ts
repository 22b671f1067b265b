import { useState } from "react";
import { STEPS_KEY } from "../accounts/account-context.ts";

/** State of an account's first steps in this browser. */
export interface BegunSteps {
  /** Whether a step was taken and the steps were not dismissed since. */
  readonly isBegun: boolean;
  readonly begin: () => void;
  readonly dismiss: () => void;
}

/** Returns the state of the account's first steps in this browser; it survives a reload. */
export function useBegunSteps(accountId: string): BegunSteps {
  const [isBegun, setBegun] = useState(() => localStorage.getItem(STEPS_KEY) === accountId);
  return {
    isBegun,
    begin: () => {
      localStorage.setItem(STEPS_KEY, accountId);
      setBegun(true);
    },
    dismiss: () => {
      localStorage.removeItem(STEPS_KEY);
      setBegun(false);
    },
  };
}
