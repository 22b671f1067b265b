import { Text } from "@mantine/core";
import { IconShare2, IconSquarePlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./phone-setup.module.css";
import { useInstallManifest } from "./use-install-manifest.ts";

/** Instructions to add the console to an iPhone's Home Screen, with pictures of the buttons. */
export function HomeScreenSteps() {
  const { t } = useTranslation();
  useInstallManifest();
  return (
    <div className={classes["phone"]} data-notification-state="needs-home-screen">
      <Text size="sm">{t("pairing.homeText")}</Text>
      <ol className={classes["steps"]}>
        <Step picture={<IconShare2 size={24} stroke={1.75} aria-hidden />}>
          {t("pairing.homeShare")}
        </Step>
        <Step picture={<IconSquarePlus size={24} stroke={1.75} aria-hidden />}>
          {t("pairing.homeAdd")}
        </Step>
        <Step picture={<img src="/icons/bell.svg" alt="" width={32} height={32} />}>
          {t("pairing.homeOpen")}
        </Step>
      </ol>
      <Text size="sm" c="dimmed">
        {t("pairing.homeWhy")}
      </Text>
    </div>
  );
}

function Step({
  picture,
  children,
}: {
  readonly picture: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <li>
      <span className={classes["picture"]}>{picture}</span>
      <Text size="sm" fw={600}>
        {children}
      </Text>
    </li>
  );
}
