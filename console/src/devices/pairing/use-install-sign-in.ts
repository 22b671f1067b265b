import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { getErrorMessage } from "../../errors.ts";
import { getLinkToken } from "../../link-token.ts";
import { isInstalledApp } from "../browser.ts";
import { isPairingExpired } from "./is-pairing-expired.ts";
import { usePairingSignIn } from "./use-pairing-sign-in.ts";

/** The progress of the sign-in with the app's install token. */
export interface InstallSignIn {
  readonly isRunning: boolean;
  /** Translated error message; null if there is none. */
  readonly problem: string | null;
}

const IDLE: InstallSignIn = { isRunning: false, problem: null };
let pendingSignIn: Promise<void> | null = null;

/**
 * Signs in with the install token in the app's start URL, and returns the progress. Does nothing in a browser tab,
 * which a stranger's link could open.
 */
export function useInstallSignIn(): InstallSignIn {
  const { t } = useTranslation();
  const pair = usePairingSignIn();
  const token = isInstalledApp() ? getLinkToken() : "";
  const [state, setState] = useState<InstallSignIn>({ isRunning: token !== "", problem: null });
  useEffect(() => {
    if (token === "") return;
    pendingSignIn ??= pair({ token });
    pendingSignIn.then(
      () => setState(IDLE),
      (error: unknown) => {
        const problem = isPairingExpired(error)
          ? t("pairing.installExpired")
          : getErrorMessage(error);
        setState({ isRunning: false, problem });
      },
    );
  }, [token, pair, t]);
  return state;
}
