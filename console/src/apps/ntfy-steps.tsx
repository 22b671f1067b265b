import type { AppCredentials } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import pairingClasses from "../devices/pairing/pairing.module.css";
import { CopyableLine } from "../page/copyable-line.tsx";
import { AppStep } from "./app-step.tsx";
import { asksRarely } from "./app-facts.ts";
import { useIphoneNote } from "./use-iphone-note.ts";
import classes from "./apps.module.css";

/** The steps in the ntfy app, with the values to enter. On the phone itself, a person can copy and paste them. */
export function NtfySteps({ credentials }: { readonly credentials: AppCredentials }) {
  const { t } = useTranslation();
  const { url, topic, userName, password, device } = credentials;
  const isRare = asksRarely(device);
  const iphoneNote = useIphoneNote();
  return (
    <ol className={pairingClasses["list"]}>
      <AppStep title={t("app.ntfy.topic")} text={t("app.ntfy.topicText")}>
        <div className={classes["fields"]}>
          <CopyableLine name={t("app.topic")} text={topic} />
          <CopyableLine name={t("app.address")} text={url} />
        </div>
      </AppStep>
      <AppStep title={t("app.ntfy.signIn")} text={t("app.ntfy.signInText")}>
        <div className={classes["fields"]}>
          <CopyableLine name={t("app.userName")} text={userName} />
          <CopyableLine name={t("app.password")} text={password} />
        </div>
      </AppStep>
      {isRare ? (
        <AppStep title={t("app.ntfy.allow")} text={`${iphoneNote} ${t("app.ntfy.allowText")}`} />
      ) : (
        <AppStep title={t("app.ntfy.webSocket")} text={t("app.ntfy.webSocketText")} />
      )}
    </ol>
  );
}
