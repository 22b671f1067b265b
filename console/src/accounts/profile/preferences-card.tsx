import { SegmentedControl, Select, Switch, Text } from "@mantine/core";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { changeLanguage, isLanguage, LANGUAGES } from "../../language/language.ts";
import { useDensityChoice } from "../../notifications/feed/density.ts";
import { areSoundsOn, setSoundsOn } from "../../notifications/sound/sound-setting.ts";
import { Card } from "../../page/card.tsx";
import { showError } from "../../page/toasts.ts";
import { countsDismissals, reportsExpiry } from "../../worker/dismissals.ts";
import { writeRecord } from "../../worker/worker-records.ts";
import { useColorScheme } from "../../shell/use-color-scheme.ts";
import classes from "./profile.module.css";

/** Preferences that apply to this browser only: colours, density, language, sounds and dismissals. */
export function PreferencesCard() {
  const { t } = useTranslation();
  return (
    <Card title={t("settings.appearance")}>
      <SchemeChoice />
      <DensityChoice />
      <LanguageChoice />
      <SoundChoice />
      <DismissalChoice />
    </Card>
  );
}

function SchemeChoice() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useColorScheme();
  return (
    <div className={classes["row"]}>
      <Text size="sm" fw={500} id="scheme">
        {t("settings.scheme")}
      </Text>
      <SegmentedControl<"light" | "dark" | "auto">
        aria-labelledby="scheme"
        value={colorScheme}
        onChange={setColorScheme}
        data={[
          { value: "light", label: t("settings.light") },
          { value: "dark", label: t("settings.dark") },
          { value: "auto", label: t("settings.system") },
        ]}
      />
    </div>
  );
}

function DensityChoice() {
  const { t } = useTranslation();
  const [choice, choose] = useDensityChoice();
  return (
    <div className={classes["row"]}>
      <Text size="sm" fw={500} id="density">
        {t("settings.density")}
      </Text>
      <SegmentedControl<typeof choice>
        aria-labelledby="density"
        value={choice}
        onChange={choose}
        data={[
          { value: "compact", label: t("settings.compact") },
          { value: "comfortable", label: t("settings.comfortable") },
          { value: "auto", label: t("settings.densityAuto") },
        ]}
      />
    </div>
  );
}

function LanguageChoice() {
  const { t, i18n } = useTranslation();
  return (
    <div className={classes["row"]}>
      <Text size="sm" fw={500} id="language">
        {t("settings.language")}
      </Text>
      <Select
        aria-labelledby="language"
        allowDeselect={false}
        value={i18n.language}
        onChange={selectLanguage}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      />
    </div>
  );
}

function SoundChoice() {
  const { t } = useTranslation();
  const [areSoundsEnabled, setAreSoundsEnabled] = useState(areSoundsOn);
  const changeSoundSetting = (checked: boolean) => {
    setSoundsOn(checked);
    setAreSoundsEnabled(checked);
  };
  return (
    <Switch
      label={t("settings.sounds")}
      description={t("settings.soundsHint")}
      checked={areSoundsEnabled}
      onChange={({ currentTarget: { checked } }) => changeSoundSetting(checked)}
    />
  );
}

function DismissalChoice() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: isOn } = useQuery(dismissalsQuery);
  const change = async (checked: boolean) => {
    await writeRecord("countsDismissals", checked);
    queryClient.setQueryData(dismissalsQuery.queryKey, checked);
  };
  return (
    <Switch
      label={t("settings.dismissals")}
      description={t(
        reportsExpiry(navigator.userAgent)
          ? "settings.dismissalsFirefoxHint"
          : "settings.dismissalsHint",
      )}
      checked={isOn ?? false}
      disabled={isOn === undefined}
      onChange={({ currentTarget: { checked } }) => void change(checked).catch(showError)}
    />
  );
}

const dismissalsQuery = queryOptions({
  queryKey: ["counts-dismissals"],
  queryFn: countsDismissals,
  // The browser's storage needs no network.
  networkMode: "always",
});

function selectLanguage(code: string | null): void {
  if (code !== null && isLanguage(code)) void changeLanguage(code).catch(showError);
}
