import { Button, Text } from "@mantine/core";
import { IconSearchOff, IconSend } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { NotificationRecord } from "@tocsin/sdk";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../page/query-states.tsx";
import { PATHS } from "../../paths.ts";
import { FilterBar } from "./filter-bar.tsx";
import { LogRow } from "./log-row.tsx";
import classes from "./log.module.css";
import { createLogQuery } from "./log-queries.ts";
import { isFiltered, parseLogSearch, type LogSearch } from "./log-search.ts";

/** The sent notifications, newest first, with their outcomes. */
export function LogPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = parseLogSearch(useSearch({ strict: false }));
  const changeSearch = (newSearch: LogSearch) => {
    void navigate({ to: PATHS.log, search: newSearch, replace: true });
  };
  return (
    <Page title={t("log.title")} text={t("log.text")} width="wide">
      <FilterBar search={search} onChange={changeSearch} />
      <LogContent search={search} onClear={() => changeSearch({})} />
    </Page>
  );
}

/** Maximum number of pages that a search loads automatically until it finds a match. */
const SEARCHED_PAGES_MAX = 8;

interface LogContentProps {
  readonly search: LogSearch;
  readonly onClear: () => void;
}

function LogContent({ search, onClear }: LogContentProps) {
  const query = useInfiniteQuery(createLogQuery(search));
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = query;
  const records = data?.pages.flatMap(({ items }) => items) ?? [];
  const searchedPages = data?.pages.length ?? 0;
  const shouldContinue = hasNextPage && records.length === 0 && searchedPages < SEARCHED_PAGES_MAX;
  useEffect(() => {
    if (shouldContinue && !isFetching && error === null) void fetchNextPage();
  }, [shouldContinue, isFetching, error, fetchNextPage]);
  if (data === undefined || (shouldContinue && error === null)) {
    if (error === null) return <SkeletonRows rows={6} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const loadMore = async () => {
    await fetchNextPage({ throwOnError: true });
  };
  if (records.length === 0) {
    return <EmptyLog search={search} onClear={onClear} loadMore={hasNextPage ? loadMore : null} />;
  }
  return <LogTable records={records} loadMore={hasNextPage ? loadMore : null} />;
}

interface LogTableProps {
  readonly records: readonly NotificationRecord[];
  /** Loads the next page; null if there is none. */
  readonly loadMore: (() => Promise<void>) | null;
}

function LogTable({ records, loadMore }: LogTableProps) {
  const { t } = useTranslation();
  const columns = [
    t("log.what"),
    t("log.target"),
    t("log.channel"),
    t("log.sentBy"),
    t("log.result"),
  ];
  return (
    <>
      <div className={classes["table"]}>
        <div className={classes["head"]} aria-hidden>
          {[...columns, t("log.when")].map((column) => (
            <span key={column}>{column}</span>
          ))}
        </div>
        <ul className={classes["rows"]} aria-label={t("log.title")}>
          {records.map((record) => (
            <LogRow key={record.id} record={record} />
          ))}
        </ul>
      </div>
      {loadMore !== null && (
        <ActionButton variant="default" className={classes["more"] ?? ""} run={loadMore}>
          {t("page.loadMore")}
        </ActionButton>
      )}
    </>
  );
}

interface EmptyLogProps extends LogContentProps {
  /** Searches the next page; null if everything was searched. */
  readonly loadMore: (() => Promise<void>) | null;
}

function EmptyLog({ search, onClear, loadMore }: EmptyLogProps) {
  const { t } = useTranslation();
  if (!isFiltered(search)) {
    return (
      <Card>
        <EmptyState icon={IconSend} title={t("log.empty")} text={t("log.emptyText")}>
          <ButtonLink to={PATHS.send}>{t("log.sendOne")}</ButtonLink>
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card>
      <EmptyState icon={IconSearchOff} title={t("log.noMatch")} text={t("log.noMatchText")}>
        {loadMore !== null && (
          <>
            <Text size="sm">{t("log.searchedSoFar")}</Text>
            <ActionButton run={loadMore}>{t("log.searchOlder")}</ActionButton>
          </>
        )}
        <Button variant="default" onClick={onClear}>
          {t("log.clear")}
        </Button>
      </EmptyState>
    </Card>
  );
}
