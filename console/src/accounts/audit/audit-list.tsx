import { IconHistory } from "@tabler/icons-react";
import type { UseInfiniteQueryResult, InfiniteData } from "@tanstack/react-query";
import type { AuditEvent, Page } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { List } from "../../page/list.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../page/query-states.tsx";
import { AuditItem } from "./audit-item.tsx";

interface AuditListProps {
  readonly label: string;
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<AuditEvent>>>;
}

/** A list of audit events, newest first, with a button that loads older ones. */
export function AuditList({ label, query }: AuditListProps) {
  const { t } = useTranslation();
  const { data, error, refetch, hasNextPage, fetchNextPage } = query;
  if (data === undefined) {
    if (error === null) return <SkeletonRows rows={4} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const events = data.pages.flatMap(({ items }) => items);
  if (events.length === 0) {
    return <EmptyState icon={IconHistory} title={t("audit.empty")} text={t("audit.emptyText")} />;
  }
  const loadMore = async () => {
    await fetchNextPage({ throwOnError: true });
  };
  return (
    <>
      <List label={label}>
        {events.map((event) => (
          <AuditItem key={event.id} event={event} />
        ))}
      </List>
      {hasNextPage && (
        <ActionButton variant="default" run={loadMore}>
          {t("page.loadMore")}
        </ActionButton>
      )}
    </>
  );
}
