import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../errors.ts";
import { linkToken } from "../../link-token.ts";
import { isInstalled } from "../browser.ts";
import { isPairingExpired } from "./is-pairing-expired.ts";
import { usePair } from "./use-pair.ts";

/** The progress of the sign-in with the app's install token. */
export interface InstallSignIn {
  readonly isRunning: boolean;
  /** Translated error message; null for none. */
  readonly problem: string | null;
}

const IDLE: InstallSignIn = { isRunning: false, problem: null };
let pairing: Promise<void> | null = null;

/** Signs in at the first start of the app. Does nothing in a browser tab, which a stranger's link could open. */
export function useInstallSignIn(): InstallSignIn {
  const { t } = useTranslation();
  const pair = usePair();
  const token = isInstalled() ? linkToken() : "";
  const [state, setState] = useState<InstallSignIn>({ isRunning: token !== "", problem: null });
  useEffect(() => {
    if (token === "") return;
    pairing ??= pair({ token });
    pairing.then(
      () => setState(IDLE),
      (error: unknown) => {
        const problem = isPairingExpired(error) ? t("pairing.installOver") : messageOf(error);
        setState({ isRunning: false, problem });
      },
    );
  }, [token, pair, t]);
  return state;
}
