import { Avatar, Badge, Group, SegmentedControl, Select, Text } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { useSignOut } from "../accounts/sign-out.ts";
import { changeLanguage, isLanguage, LANGUAGES } from "../language/language.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Card } from "../page/card.tsx";
import { Page } from "../page/page.tsx";
import { fail } from "../page/toasts.ts";
import classes from "./settings-page.module.css";
import { useScheme } from "./use-scheme.ts";

/** What a person chooses for this browser, and who they are. */
export function SettingsPage() {
  const { t } = useTranslation();
  return (
    <Page title={t("settings.title")}>
      <AccountCard />
      <Card title={t("settings.look")}>
        <SchemeChoice />
        <LanguageChoice />
      </Card>
    </Page>
  );
}

function AccountCard() {
  const { t } = useTranslation();
  const { name, email, isAdmin } = useAccount();
  const signOut = useSignOut();
  return (
    <Card title={t("settings.account")}>
      <div className={classes["account"]}>
        <Avatar name={name} color="accent" size={44} radius="xl" aria-hidden />
        <div className={classes["who"]}>
          <Group gap="xs">
            <Text fw={600}>{name}</Text>
            {isAdmin && <Badge variant="light">{t("settings.admin")}</Badge>}
          </Group>
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        </div>
        <ActionButton
          variant="default"
          leftSection={<IconLogout size={16} aria-hidden />}
          run={signOut}
        >
          {t("shell.signOut")}
        </ActionButton>
      </div>
    </Card>
  );
}

function SchemeChoice() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useScheme();
  return (
    <div className={classes["choice"]}>
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

function LanguageChoice() {
  const { t, i18n } = useTranslation();
  return (
    <div className={classes["choice"]}>
      <Text size="sm" fw={500} id="language">
        {t("settings.language")}
      </Text>
      <Select
        aria-labelledby="language"
        allowDeselect={false}
        value={i18n.language}
        onChange={speak}
        data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      />
    </div>
  );
}

function speak(code: string | null): void {
  if (code !== null && isLanguage(code)) void changeLanguage(code).catch(fail);
}
