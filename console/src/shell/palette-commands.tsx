import type { SpotlightActionData } from "@mantine/spotlight";
import {
  IconBook,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSettings,
  IconSun,
  type Icon,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { useSignOut } from "../accounts/sign-out.ts";
import { useAction } from "../page/use-action.ts";
import { PATHS } from "../paths.ts";
import { showKeys } from "./keys-shown.ts";
import { sectionsFor } from "./pages.ts";
import { useScheme } from "./use-scheme.ts";

/** Actions under one heading. */
export interface Commands {
  readonly group: string;
  readonly actions: readonly SpotlightActionData[];
  /** Whether they are offered only after something is typed. */
  readonly isFoundOnly?: true;
}

/** The page of each setting, by the labels above it there. */
const SETTINGS = [
  { path: PATHS.settings, label: "settings.account", more: "profile.changeName" },
  { path: PATHS.settings, label: "account.email", more: "profile.changeEmail" },
  { path: PATHS.settings, label: "settings.scheme", more: "settings.look" },
  { path: PATHS.settings, label: "settings.language", more: "settings.look" },
  { path: PATHS.settings, label: "settings.sounds", more: "settings.look" },
  { path: PATHS.settings, label: "profile.export", more: "profile.data" },
  { path: PATHS.settings, label: "profile.delete", more: "profile.data" },
  { path: PATHS.security, label: "account.password", more: "profile.changePassword" },
  { path: PATHS.security, label: "profile.passkeys", more: "profile.pages.security.title" },
  { path: PATHS.security, label: "profile.twoFactor", more: "profile.codes" },
  { path: PATHS.access, label: "profile.sessions", more: "profile.pages.access.title" },
  { path: PATHS.access, label: "profile.tokens", more: "profile.pages.access.title" },
  { path: PATHS.access, label: "audit.own", more: "profile.pages.access.title" },
] as const;

const SERVER_SETTINGS = [
  { path: PATHS.administration, label: "admin.health", more: "admin.title" },
  { path: PATHS.accounts, label: "admin.accounts", more: "admin.title" },
  { path: PATHS.rules, label: "admin.rules", more: "admin.title" },
  { path: PATHS.mail, label: "admin.mail", more: "admin.title" },
  { path: PATHS.audit, label: "audit.title", more: "admin.title" },
] as const;

/** Returns the pages, the settings, and the actions that work from anywhere. */
export function useCommands(): readonly Commands[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const account = useAccount();
  const actions = useActions();
  const pages = sectionsFor(account)
    .flatMap((section) => section.pages)
    .map(({ path, label, icon }) => ({
      id: path,
      label: t(label),
      leftSection: <CommandIcon icon={icon} />,
      onClick: () => void navigate({ to: path }),
    }));
  const reference = {
    id: "reference",
    label: t("shell.reference"),
    leftSection: <CommandIcon icon={IconBook} />,
    onClick: () => window.open("/docs", "_blank", "noopener"),
  };
  const settings = [...SETTINGS, ...(account.isAdmin ? SERVER_SETTINGS : [])].map(
    ({ path, label, more }) => ({
      id: label,
      label: t(label),
      description: t(more),
      leftSection: <CommandIcon icon={IconSettings} />,
      onClick: () => void navigate({ to: path }),
    }),
  );
  return [
    { group: t("shell.searchPages"), actions: [...pages, reference] },
    { group: t("shell.searchSettings"), actions: settings, isFoundOnly: true },
    { group: t("shell.searchActions"), actions },
  ];
}

function useActions(): readonly SpotlightActionData[] {
  const { t } = useTranslation();
  const { setColorScheme } = useScheme();
  const { start: signOut } = useAction(useSignOut());
  return [
    {
      id: "light",
      label: `${t("settings.scheme")}: ${t("settings.light")}`,
      leftSection: <CommandIcon icon={IconSun} />,
      onClick: () => setColorScheme("light"),
    },
    {
      id: "dark",
      label: `${t("settings.scheme")}: ${t("settings.dark")}`,
      leftSection: <CommandIcon icon={IconMoon} />,
      onClick: () => setColorScheme("dark"),
    },
    {
      id: "keys",
      label: t("shell.keyboard"),
      leftSection: <CommandIcon icon={IconKeyboard} />,
      onClick: showKeys,
    },
    {
      id: "sign-out",
      label: t("shell.signOut"),
      leftSection: <CommandIcon icon={IconLogout} />,
      onClick: signOut,
    },
  ];
}

/** Icon before a name in the palette. */
export function CommandIcon({ icon: Sign }: { readonly icon: Icon }) {
  return <Sign size={20} stroke={1.75} aria-hidden />;
}
