import { Loader, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { useAction } from "../../page/use-action.ts";
import type { FeedFilter } from "./feed-filter.ts";
import classes from "./feed-list.module.css";
import { ITEMS_MAX, loadOlderItems } from "./feed-queries.ts";

interface OlderItemsLoaderProps {
  readonly filter: FeedFilter;
  readonly cursor: string | null;
  readonly count: number;
  /** Whether the reader is near the end of the list. */
  readonly isNearEnd: boolean;
}

/** Loads older notifications when the reader is near the end of the list. After a failure, shows a button to retry. */
export function OlderItemsLoader({ filter, cursor, count, isNearEnd }: OlderItemsLoaderProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [failedCursor, setFailedCursor] = useState<string | null>(null);
  const load = () => loadOlderItems(queryClient, filter);
  const { isRunning, start } = useAction(load, () => setFailedCursor(cursor));
  const isLimitReached = count >= ITEMS_MAX;
  const hasFailed = failedCursor === cursor;
  const shouldLoad = isNearEnd && cursor !== null && !isLimitReached && !hasFailed && !isRunning;
  useEffect(() => {
    if (shouldLoad) start();
  });
  if (cursor === null) return null;
  return (
    <div className={classes["more"]} role="status">
      {isLimitReached && (
        <Text size="sm" c="dimmed">
          {t("feed.full", { count })}
        </Text>
      )}
      {hasFailed && !isRunning && (
        <ActionButton variant="default" run={load}>
          {t("page.loadMore")}
        </ActionButton>
      )}
      {!isLimitReached && !hasFailed && (
        <Loader size="sm" role="img" aria-label={t("shell.loading")} />
      )}
    </div>
  );
}
