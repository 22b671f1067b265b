import { SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PairingContent } from "../devices/pairing/pairing-content.tsx";
import { AddGotifyApp } from "./add-gotify-app.tsx";
import { AddNtfyApp } from "./add-ntfy-app.tsx";
import { APP_NAMES } from "./app-facts.ts";
import classes from "./apps.module.css";

/** The apps with which a phone can get notifications; the first is our own. */
const CHOICES = ["tocsin", "ntfy", "gotify"] as const;
type Choice = (typeof CHOICES)[number];

const CHOICE_NAMES: Readonly<Record<Choice, string>> = { tocsin: "Tocsin", ...APP_NAMES };

/** The content of the dialog that adds a phone: the choice of an app, and the steps for it. */
export function AddApp({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const [choice, setChoice] = useState<Choice>("tocsin");
  return (
    <div className={classes["dialog"]}>
      <div className={classes["choice"]}>
        <SegmentedControl<Choice>
          fullWidth
          aria-label={t("app.which")}
          value={choice}
          onChange={setChoice}
          data={CHOICES.map((value) => ({ value, label: CHOICE_NAMES[value] }))}
        />
        <Text size="sm" c="dimmed">
          {t(`app.about.${choice}`)}
        </Text>
      </div>
      {choice === "tocsin" && <PairingContent onDone={onDone} />}
      {choice === "ntfy" && <AddNtfyApp onDone={onDone} />}
      {choice === "gotify" && <AddGotifyApp onDone={onDone} />}
    </div>
  );
}
