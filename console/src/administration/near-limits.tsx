import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "../page/card.tsx";
import { limitsQuery } from "./administration-queries.ts";
import classes from "./administration.module.css";

/** The accounts near a limit; renders nothing if there are none. */
export function NearLimits() {
  const { t } = useTranslation();
  const { data: usages = [] } = useQuery(limitsQuery);
  if (usages.length === 0) return null;
  return (
    <Card title={t("admin.nearLimits")}>
      <Text size="sm">{t("admin.nearLimitsText")}</Text>
      <ul className={classes["limits"]}>
        {usages.map(({ accountId, limit, name, email, used, most }) => (
          <li key={`${accountId} ${limit}`} data-limit={limit}>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Text size="sm" c="dimmed">
              {email}
            </Text>
            <Text size="sm">
              {t("admin.usedOf", { what: t(`admin.limit.${limit}`), used, most })}
            </Text>
          </li>
        ))}
      </ul>
    </Card>
  );
}
