import { IconSend } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, ErrorState, Skeletons } from "../../page/states.tsx";
import { PATHS } from "../../paths.ts";
import { LogRow } from "./log-row.tsx";
import classes from "./log.module.css";
import { logQuery } from "./log-queries.ts";

/** What the account's keys sent, newest first, and how it went. */
export function LogPage() {
  const { t } = useTranslation();
  return (
    <Page title={t("log.title")} text={t("log.text")}>
      <Log />
    </Page>
  );
}

function Log() {
  const { t } = useTranslation();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(logQuery);
  if (data === undefined) {
    if (error === null) return <Skeletons rows={6} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const records = data.pages.flatMap(({ items }) => items);
  if (records.length === 0) {
    return (
      <Card>
        <EmptyState icon={IconSend} title={t("log.empty")} text={t("log.emptyText")}>
          <ButtonLink to={PATHS.keys}>{t("key.title")}</ButtonLink>
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <ul className={classes["rows"]} aria-label={t("log.title")}>
        {records.map((record) => (
          <LogRow key={record.id} record={record} />
        ))}
      </ul>
      {hasNextPage && (
        <ActionButton
          variant="default"
          className={classes["more"] ?? ""}
          run={async () => {
            await fetchNextPage({ throwOnError: true });
          }}
        >
          {t("page.loadMore")}
        </ActionButton>
      )}
    </>
  );
}
