import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../errors.ts";
import { linkToken } from "../../link-token.ts";
import { isInstalled } from "../browser.ts";
import { isOver } from "./over.ts";
import { usePair } from "./use-pair.ts";

/** Progress of the sign-in with the token that the app was installed with. */
export interface Opening {
  readonly isRunning: boolean;
  /** Null for none. */
  readonly problem: string | null;
}

const IDLE: Opening = { isRunning: false, problem: null };
let begun: Promise<void> | null = null;

/** Signs in at the first start of the app. Does nothing in a browser's tab, where a stranger's link may lead. */
export function useOpening(): Opening {
  const { t } = useTranslation();
  const pair = usePair();
  const token = isInstalled() ? linkToken() : "";
  const [opening, setOpening] = useState<Opening>({ isRunning: token !== "", problem: null });
  useEffect(() => {
    if (token === "") return;
    begun ??= pair({ token });
    begun.then(
      () => setOpening(IDLE),
      (error: unknown) => {
        const problem = isOver(error) ? t("pairing.installOver") : messageOf(error);
        setOpening({ isRunning: false, problem });
      },
    );
  }, [token, pair, t]);
  return opening;
}
