import { Badge, Code, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNtfyUpstream } from "../keys/dialects-query.ts";
import { Card } from "../page/card.tsx";
import classes from "./administration.module.css";

/** Says whether iPhones with the app of ntfy are woken, what another server learns by it, and how to set it up. */
export function IphoneWakingCard() {
  const { t } = useTranslation();
  const host = useNtfyUpstream();
  const isOn = host !== null;
  const badge = (
    <Badge variant="light" color={isOn ? "green" : "gray"}>
      {isOn ? t("provider.iphone.on", { host }) : t("provider.state.off")}
    </Badge>
  );
  return (
    <Card title={t("provider.iphone.title")} actions={badge}>
      <Text size="sm" c="dimmed">
        {t("provider.iphone.text")}
      </Text>
      <Text size="sm">{t("provider.iphone.learns", { host: host ?? "ntfy.sh" })}</Text>
      <details className={classes["setup"]}>
        <summary>{t("provider.setUp")}</summary>
        <ol>
          <li>
            {t("provider.iphone.upstream")} <Code>TOCSIN_NTFY_UPSTREAM=https://ntfy.sh</Code>
          </li>
          <li>
            {t("provider.iphone.token")} <Code>TOCSIN_NTFY_UPSTREAM_TOKEN</Code>
          </li>
          <li>{t("provider.iphone.restart")}</li>
        </ol>
      </details>
    </Card>
  );
}
