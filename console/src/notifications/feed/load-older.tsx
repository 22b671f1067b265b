import { Loader, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { useAction } from "../../page/use-action.ts";
import type { FeedFilter } from "./feed-filter.ts";
import classes from "./feed-list.module.css";
import { ITEMS_MAX, loadOlder } from "./feed-queries.ts";

export interface LoadOlderProps {
  readonly filter: FeedFilter;
  readonly cursor: string | null;
  readonly count: number;
  /** Whether the reader is near the end of the list. */
  readonly isNear: boolean;
}

/** Loads older notifications when the reader is near the end. If that fails, shows a button to retry. */
export function LoadOlder({ filter, cursor, count, isNear }: LoadOlderProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [failedAt, setFailedAt] = useState<string | null>(null);
  const load = () => loadOlder(queryClient, filter);
  const { isRunning, start } = useAction(load, () => setFailedAt(cursor));
  const isFull = count >= ITEMS_MAX;
  const hasFailed = failedAt === cursor;
  const shouldLoad = isNear && cursor !== null && !isFull && !hasFailed && !isRunning;
  useEffect(() => {
    if (shouldLoad) start();
  });
  if (cursor === null) return null;
  return (
    <div className={classes["more"]} role="status">
      {isFull && (
        <Text size="sm" c="dimmed">
          {t("feed.full", { count })}
        </Text>
      )}
      {hasFailed && !isRunning && (
        <ActionButton variant="default" run={load}>
          {t("page.loadMore")}
        </ActionButton>
      )}
      {!isFull && !hasFailed && <Loader size="sm" role="img" aria-label={t("shell.loading")} />}
    </div>
  );
}
