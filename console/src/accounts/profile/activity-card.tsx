import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { AuditList } from "../audit/audit-list.tsx";
import { ownAuditQuery } from "../audit/audit-queries.ts";

/** Audit events by or about the account, so that its owner notices actions by others. */
export function ActivityCard() {
  const { t } = useTranslation();
  const query = useInfiniteQuery(ownAuditQuery);
  return (
    <Card title={t("audit.ownActivity")}>
      <Text size="sm" c="dimmed">
        {t("audit.ownActivityText")}
      </Text>
      <AuditList label={t("audit.ownActivity")} query={query} />
    </Card>
  );
}
