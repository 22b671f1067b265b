import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../../accounts/account-context.ts";
import { ThisDevicePanel } from "../../devices/this-device-panel.tsx";
import { useThisDevice } from "../../devices/use-this-device.ts";
import { Page } from "../../page/page.tsx";
import { Loaded } from "../../page/states.tsx";
import { useBegunSteps } from "../begun-steps.ts";
import { Announcement } from "./announcement.tsx";
import { useDensity } from "./density.ts";
import { inOrder } from "./feed-rows.ts";
import { isEverything } from "./feed-filter.ts";
import { NO_ITEMS } from "./feed-items.ts";
import { FeedList, type FeedListProps } from "./feed-list.tsx";
import classes from "./feed-page.module.css";
import { feedQuery } from "./feed-queries.ts";
import { FeedToolbar } from "./feed-toolbar.tsx";
import { KeptNote } from "./kept-note.tsx";
import { NothingFound } from "./nothing-found.tsx";
import { useUrgent } from "./use-urgent.ts";
import { useFeedKeys } from "./use-feed-keys.ts";

const route = getRouteApi("/signed-in/feed");

const FirstSteps = lazy(async () => ({ default: (await import("../first-steps.tsx")).FirstSteps }));

/** The account's notifications, newest first, with the opened one beside them. */
export function FeedPage() {
  const { t } = useTranslation();
  const filter = route.useSearch();
  const feed = useQuery(feedQuery(filter));
  const { id } = useParams({ strict: false });
  const page = useRef<HTMLDivElement>(null);
  const { items } = feed.data ?? NO_ITEMS;
  const urgent = useUrgent(filter, id ?? null);
  useFeedKeys(page, { items: inOrder(items, urgent), openedId: id ?? null });
  const { isBegun, begin, dismiss } = useBegunSteps(useAccount().id);
  const isNew = feed.data !== undefined && items.length === 0 && isEverything(filter);
  const hasSteps = isNew || (isBegun && feed.data !== undefined && isEverything(filter));
  return (
    <div
      ref={page}
      className={classes["feed"]}
      data-feed
      data-opened={id !== undefined || undefined}
    >
      <Page title={t("feed.title")} width="full">
        <Announcement items={items} />
        {!isNew && <FeedToolbar filter={filter} />}
        <div className={classes["panes"]}>
          <div className={classes["list"]}>
            {hasSteps && (
              <Suspense>
                <FirstSteps arrived={items[0] ?? null} onBegin={begin} onDismiss={dismiss} />
              </Suspense>
            )}
            {!isNew && (
              <Loaded query={feed} rows={6}>
                {(loaded) => (
                  <Listed
                    filter={filter}
                    feed={loaded}
                    urgent={urgent}
                    openedId={id ?? null}
                    hasSteps={hasSteps}
                  />
                )}
              </Loaded>
            )}
          </div>
          {(id !== undefined || !isNew) && (
            <div className={classes["detail"]}>
              <Outlet />
            </div>
          )}
        </div>
      </Page>
    </div>
  );
}

interface ListedProps extends Omit<FeedListProps, "density"> {
  /** Whether the first steps are shown, which already say whether this browser is a device. */
  readonly hasSteps: boolean;
}

function Listed({ filter, feed, urgent, openedId, hasSteps }: ListedProps) {
  const density = useDensity();
  const isOver = feed.items.length === 0 && feed.nextCursor === null;
  return (
    <>
      {feed.keptAt !== undefined && <KeptNote at={feed.keptAt} />}
      {feed.keptAt === undefined && isEverything(filter) && !hasSteps && <Nudge />}
      {isOver ? (
        <NothingFound filter={filter} />
      ) : (
        <FeedList
          key={JSON.stringify([filter, density])}
          filter={filter}
          feed={feed}
          urgent={urgent}
          openedId={openedId}
          density={density}
        />
      )}
    </>
  );
}

/** Notice that this browser is not a device yet but could be one. */
function Nudge() {
  const { data } = useThisDevice().query;
  const isMissing = data?.capability === "off" || data?.capability === "other-key";
  return isMissing ? <ThisDevicePanel /> : null;
}
