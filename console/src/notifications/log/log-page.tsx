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
import { EmptyState, ErrorState, Skeletons } from "../../page/states.tsx";
import { PATHS } from "../../paths.ts";
import { FilterBar } from "./filter-bar.tsx";
import { LogRow } from "./log-row.tsx";
import classes from "./log.module.css";
import { logQuery } from "./log-queries.ts";
import { isFiltered, parseLogSearch, type LogSearch } from "./log-search.ts";

/** Sent notifications, newest first, with their outcomes. */
export function LogPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = parseLogSearch(useSearch({ strict: false }));
  const change = (next: LogSearch) => {
    void navigate({ to: PATHS.log, search: next, replace: true });
  };
  return (
    <Page title={t("log.title")} text={t("log.text")} width="wide">
      <FilterBar search={search} onChange={change} />
      <Log search={search} onClear={() => change({})} />
    </Page>
  );
}

/** Pages that a search goes through by itself until it finds something. */
const SEARCHED_PAGES_MAX = 8;

interface LogProps {
  readonly search: LogSearch;
  readonly onClear: () => void;
}

function Log({ search, onClear }: LogProps) {
  const query = useInfiniteQuery(logQuery(search));
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = query;
  const records = data?.pages.flatMap(({ items }) => items) ?? [];
  const searched = data?.pages.length ?? 0;
  const goesOn = hasNextPage && records.length === 0 && searched < SEARCHED_PAGES_MAX;
  useEffect(() => {
    if (goesOn && !isFetching && error === null) void fetchNextPage();
  }, [goesOn, isFetching, error, fetchNextPage]);
  if (data === undefined || (goesOn && error === null)) {
    if (error === null) return <Skeletons rows={6} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const further = async () => {
    await fetchNextPage({ throwOnError: true });
  };
  if (records.length === 0) {
    return <Nothing search={search} onClear={onClear} further={hasNextPage ? further : null} />;
  }
  return <Records records={records} further={hasNextPage ? further : null} />;
}

interface RecordsProps {
  readonly records: readonly NotificationRecord[];
  /** Null if there are no more. */
  readonly further: (() => Promise<void>) | null;
}

function Records({ records, further }: RecordsProps) {
  const { t } = useTranslation();
  const columns = [t("log.what"), t("log.target"), t("log.channel"), t("log.by"), t("log.result")];
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
      {further !== null && (
        <ActionButton variant="default" className={classes["more"] ?? ""} run={further}>
          {t("page.loadMore")}
        </ActionButton>
      )}
    </>
  );
}

interface NothingProps extends LogProps {
  /** Null if everything was searched. */
  readonly further: (() => Promise<void>) | null;
}

function Nothing({ search, onClear, further }: NothingProps) {
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
        {further !== null && (
          <>
            <Text size="sm">{t("log.searchedSoFar")}</Text>
            <ActionButton run={further}>{t("log.searchFurther")}</ActionButton>
          </>
        )}
        <Button variant="default" onClick={onClear}>
          {t("log.clear")}
        </Button>
      </EmptyState>
    </Card>
  );
}
