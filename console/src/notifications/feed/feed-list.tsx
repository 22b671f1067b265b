import { Button, Loader, Text } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { useAction } from "../../page/use-action.ts";
import { dayOf } from "./day.ts";
import type { FeedFilter } from "./feed-filter.ts";
import type { FeedItems } from "./feed-items.ts";
import classes from "./feed-list.module.css";
import { ITEMS_MAX, loadOlder, rememberDepth } from "./feed-queries.ts";
import { FeedRow } from "./feed-row.tsx";
import { useHeldBack } from "./held-back.ts";
import { useFeedRows } from "./use-feed-rows.ts";

/** Older ones are asked for when so few are left below the screen. */
const LOAD_AHEAD = 40;

export interface FeedListProps {
  readonly filter: FeedFilter;
  readonly feed: FeedItems;
  readonly openedId: string | null;
}

/** Notifications by the days on which they came. Of thousands, only those near the screen are in the page. */
export function FeedList({ filter, feed: { items, nextCursor }, openedId }: FeedListProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const list = useRef<HTMLDivElement>(null);
  const { shown, count, release } = useHeldBack(items);
  const { rows, height, margin, measure } = useFeedRows({ list, filter, items: shown, openedId });
  const lastIndex = rows.at(-1)?.index ?? 0;
  const deepest = shown[lastIndex]?.id;
  useEffect(() => {
    if (deepest !== undefined) rememberDepth(queryClient, filter, deepest);
  }, [queryClient, filter, deepest]);
  return (
    <div>
      <NewPill count={count} onPress={release} />
      <div
        ref={list}
        role="feed"
        aria-label={t("feed.title")}
        aria-busy={nextCursor !== null}
        className={classes["rows"]}
        style={{ height }}
      >
        {rows.map(({ index, key, start }) => {
          const item = shown[index];
          if (item === undefined) return null;
          const [before, after] = [shown[index - 1], shown[index + 1]];
          const day = dayOf(item.createdAt);
          return (
            <FeedRow
              key={key}
              item={item}
              index={index}
              total={nextCursor === null ? shown.length : -1}
              start={start - margin}
              isFirstOfDay={before === undefined || dayOf(before.createdAt) !== day}
              isLastOfDay={after === undefined || dayOf(after.createdAt) !== day}
              isOpened={item.id === openedId}
              measure={measure}
            />
          );
        })}
      </div>
      <Older
        filter={filter}
        cursor={nextCursor}
        count={items.length}
        isNear={lastIndex >= shown.length - LOAD_AHEAD}
      />
    </div>
  );
}

function NewPill({ count, onPress }: { readonly count: number; readonly onPress: () => void }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <div className={classes["pill"]}>
      <Button
        size="xs"
        radius="xl"
        leftSection={<IconArrowUp size={14} aria-hidden />}
        onClick={onPress}
      >
        {t("feed.newOnes", { count })}
      </Button>
    </div>
  );
}

interface OlderProps {
  readonly filter: FeedFilter;
  readonly cursor: string | null;
  readonly count: number;
  /** Whether the end of the list is near. */
  readonly isNear: boolean;
}

/** Loads what is older as its reader comes near the end; where that fails, a button tries again. */
function Older({ filter, cursor, count, isNear }: OlderProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [failedAt, setFailedAt] = useState<string | null>(null);
  const load = () => loadOlder(queryClient, filter);
  const { isRunning, start } = useAction(load, () => setFailedAt(cursor));
  const isFull = count >= ITEMS_MAX;
  const hasFailed = failedAt === cursor;
  const isWanted = isNear && cursor !== null && !isFull && !hasFailed && !isRunning;
  useEffect(() => {
    if (isWanted) start();
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
