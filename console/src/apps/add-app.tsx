import { SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useDialects } from "../keys/dialects-query.ts";
import { PairingContent } from "../devices/pairing/pairing-content.tsx";
import { AddGotifyApp } from "./add-gotify-app.tsx";
import { AddNtfyApp } from "./add-ntfy-app.tsx";
import { APP_NAMES, listPhoneApps, type PhoneApp } from "./app-facts.ts";
import classes from "./apps.module.css";

/** An app with which a phone can get notifications: our own, or one of another service. */
type Choice = "tocsin" | PhoneApp;

const CHOICE_NAMES: Readonly<Record<Choice, string>> = { tocsin: "Tocsin", ...APP_NAMES };

/** The content of the dialog that adds a phone: the choice of an app that can connect to this server, and the steps for it. */
export function AddApp({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const [choice, setChoice] = useState<Choice>("tocsin");
  const apps = listPhoneApps(useDialects());
  const choices: readonly Choice[] = ["tocsin", ...apps];
  return (
    <div className={classes["dialog"]}>
      {apps.length > 0 && (
        <div className={classes["choice"]}>
          <SegmentedControl<Choice>
            fullWidth
            aria-label={t("app.which")}
            value={choice}
            onChange={setChoice}
            data={choices.map((value) => ({ value, label: CHOICE_NAMES[value] }))}
          />
          <Text size="sm" c="dimmed">
            {t(`app.about.${choice}`)}
          </Text>
        </div>
      )}
      {choice === "tocsin" && <PairingContent onDone={onDone} />}
      {choice === "ntfy" && <AddNtfyApp onDone={onDone} />}
      {choice === "gotify" && <AddGotifyApp onDone={onDone} />}
    </div>
  );
}
