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
import { showKeyboardHelp } from "./keyboard-help.ts";
import { getVisibleSections } from "./pages.ts";
import { useColorScheme } from "./use-color-scheme.ts";

/** A group of commands under a heading. */
export interface CommandGroup {
  readonly group: string;
  readonly actions: readonly SpotlightActionData[];
  /** Whether the group appears only if the search is not empty. */
  readonly needsQuery?: true;
}

/** The settings in the palette: page, label, and a description, which is the action or a heading of that page. */
const SETTINGS = [
  { path: PATHS.settings, label: "settings.account", description: "profile.changeName" },
  { path: PATHS.settings, label: "account.email", description: "profile.changeEmail" },
  { path: PATHS.settings, label: "settings.scheme", description: "settings.appearance" },
  { path: PATHS.settings, label: "settings.language", description: "settings.appearance" },
  { path: PATHS.settings, label: "settings.sounds", description: "settings.appearance" },
  { path: PATHS.settings, label: "settings.dismissals", description: "settings.appearance" },
  { path: PATHS.settings, label: "profile.export", description: "profile.data" },
  { path: PATHS.settings, label: "profile.delete", description: "profile.data" },
  { path: PATHS.security, label: "account.password", description: "profile.changePassword" },
  { path: PATHS.security, label: "profile.passkeys", description: "profile.pages.security.title" },
  { path: PATHS.security, label: "profile.twoFactor", description: "profile.codes" },
  { path: PATHS.access, label: "profile.sessions", description: "profile.pages.access.title" },
  { path: PATHS.access, label: "profile.tokens", description: "profile.pages.access.title" },
  { path: PATHS.access, label: "audit.ownActivity", description: "profile.pages.access.title" },
] as const;

const SERVER_SETTINGS = [
  { path: PATHS.administration, label: "admin.health", description: "admin.title" },
  { path: PATHS.accounts, label: "admin.accounts", description: "admin.title" },
  { path: PATHS.rules, label: "admin.rules", description: "admin.title" },
  { path: PATHS.mail, label: "admin.mail", description: "admin.title" },
  { path: PATHS.audit, label: "audit.title", description: "admin.title" },
] as const;

/** Returns the pages, the settings, and the actions that are available everywhere. */
export function useCommands(): readonly CommandGroup[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const account = useAccount();
  const actions = useActions();
  const pages = getVisibleSections(account)
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
    ({ path, label, description }) => ({
      id: label,
      label: t(label),
      description: t(description),
      leftSection: <CommandIcon icon={IconSettings} />,
      onClick: () => void navigate({ to: path }),
    }),
  );
  return [
    { group: t("shell.searchPages"), actions: [...pages, reference] },
    { group: t("shell.searchSettings"), actions: settings, needsQuery: true },
    { group: t("shell.searchActions"), actions },
  ];
}

function useActions(): readonly SpotlightActionData[] {
  const { t } = useTranslation();
  const { setColorScheme } = useColorScheme();
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
      onClick: showKeyboardHelp,
    },
    {
      id: "sign-out",
      label: t("shell.signOut"),
      leftSection: <CommandIcon icon={IconLogout} />,
      onClick: signOut,
    },
  ];
}

/** The icon of a palette entry. */
export function CommandIcon({ icon: EntryIcon }: { readonly icon: Icon }) {
  return <EntryIcon size={20} stroke={1.75} aria-hidden />;
}
