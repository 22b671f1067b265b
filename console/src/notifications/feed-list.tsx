import { Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { FeedItem } from "@tocsin/sdk";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "../language/language.ts";
import { ActionButton } from "../page/action-button.tsx";
import { FeedRow } from "./feed-row.tsx";
import classes from "./feed-list.module.css";
import { loadOlder } from "./feed-queries.ts";

export interface FeedListProps {
  readonly items: readonly FeedItem[];
  readonly hasMore: boolean;
  readonly openedId: string | null;
}

/** Notifications by the days on which they came. */
export function FeedList({ items, hasMore, openedId }: FeedListProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return (
    <div className={classes["days"]}>
      {daysOf(items).map(({ day, items: ofDay }) => (
        <section key={day} className={classes["day"]}>
          <Title order={2} className={classes["name"] ?? ""}>
            {nameOf(day)}
          </Title>
          <div className={classes["rows"]}>
            {ofDay.map((item) => (
              <FeedRow key={item.id} item={item} isOpened={item.id === openedId} />
            ))}
          </div>
        </section>
      ))}
      {hasMore && (
        <div className={classes["more"]}>
          <ActionButton variant="default" run={() => loadOlder(queryClient)}>
            {t("page.loadMore")}
          </ActionButton>
        </div>
      )}
    </div>
  );
}

interface Day {
  /** As `toDateString` writes it, in the reader's time zone. */
  readonly day: string;
  readonly items: FeedItem[];
}

function daysOf(items: readonly FeedItem[]): readonly Day[] {
  const days: Day[] = [];
  for (const item of items) {
    const day = new Date(item.createdAt).toDateString();
    const last = days.at(-1);
    if (last?.day === day) last.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days;
}

function nameOf(day: string): string {
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day === today.toDateString()) return i18next.t("feed.today");
  if (day === yesterday.toDateString()) return i18next.t("feed.yesterday");
  return new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "full" }).format(new Date(day));
}
