import { useState } from "react";
import { STEPS_KEY } from "../accounts/account-context.ts";

/** The first steps of an account, as this browser knows them. */
export interface BegunSteps {
  /** Somebody took one of them, and has not dismissed them since. */
  readonly isBegun: boolean;
  readonly begin: () => void;
  readonly dismiss: () => void;
}

/** Returns whether the account's first steps are under way in this browser; a reload does not end them. */
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
