import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { AuditList } from "../audit/audit-list.tsx";
import { ownAuditQuery } from "../audit/audit-queries.ts";

/** What the account did and what was done to it: so that a person sees what they did not do. */
export function ActivityCard() {
  const { t } = useTranslation();
  const query = useInfiniteQuery(ownAuditQuery);
  return (
    <Card title={t("audit.own")}>
      <Text size="sm" c="dimmed">
        {t("audit.ownText")}
      </Text>
      <AuditList label={t("audit.own")} query={query} />
    </Card>
  );
}
