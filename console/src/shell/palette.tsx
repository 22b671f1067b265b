import "@mantine/spotlight/styles.layer.css";
import { Spotlight, createSpotlight, type SpotlightActionGroupData } from "@mantine/spotlight";
import { IconBook, IconLogout, IconMoon, IconSearch, IconSun } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { useSignOut } from "../accounts/sign-out.ts";
import { useAction } from "../page/use-action.ts";
import { sectionsFor } from "./pages.ts";
import { useScheme } from "./use-scheme.ts";

const [store, spotlight] = createSpotlight();

/** Every page and command by its name, from the keyboard. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const actions = usePaletteActions();
  useEffect(() => spotlight.open(), []);
  return (
    <Spotlight
      store={store}
      actions={actions}
      shortcut={null}
      lockScroll={false}
      highlightQuery
      scrollable
      maxHeight={360}
      nothingFound={t("shell.searchEmpty")}
      searchProps={{
        placeholder: t("shell.searchPlaceholder"),
        "aria-label": t("shell.search"),
        leftSection: <IconSearch size={18} aria-hidden />,
      }}
      onSpotlightClose={onClose}
    />
  );
}

function usePaletteActions(): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { setColorScheme } = useScheme();
  const { start: signOut } = useAction(useSignOut());
  const pages = sectionsFor(useAccount())
    .flatMap((section) => section.pages)
    .map(({ path, label, icon: PageIcon }) => ({
      id: path,
      label: t(label),
      leftSection: <PageIcon size={20} stroke={1.75} aria-hidden />,
      onClick: () => void navigate({ to: path }),
    }));
  const reference = {
    id: "reference",
    label: t("shell.reference"),
    leftSection: <IconBook size={20} stroke={1.75} aria-hidden />,
    onClick: () => window.open("/docs", "_blank", "noopener"),
  };
  return [
    { group: t("shell.searchPages"), actions: [...pages, reference] },
    {
      group: t("shell.searchActions"),
      actions: [
        {
          id: "light",
          label: `${t("settings.scheme")}: ${t("settings.light")}`,
          leftSection: <IconSun size={20} stroke={1.75} aria-hidden />,
          onClick: () => setColorScheme("light"),
        },
        {
          id: "dark",
          label: `${t("settings.scheme")}: ${t("settings.dark")}`,
          leftSection: <IconMoon size={20} stroke={1.75} aria-hidden />,
          onClick: () => setColorScheme("dark"),
        },
        {
          id: "sign-out",
          label: t("shell.signOut"),
          leftSection: <IconLogout size={20} stroke={1.75} aria-hidden />,
          onClick: signOut,
        },
      ],
    },
  ];
}
