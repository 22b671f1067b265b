import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../../accounts/account-context.ts";
import { useThisDevice } from "../../devices/use-this-device.ts";
import { Page } from "../../page/page.tsx";
import { QueryContent } from "../../page/query-states.tsx";
import { useFirstStepsProgress } from "../use-first-steps-progress.ts";
import { Announcement } from "./announcement.tsx";
import { useDensity } from "./density.ts";
import { putUrgentFirst } from "./feed-rows.ts";
import { isUnfiltered } from "./feed-filter.ts";
import { NO_ITEMS } from "./feed-items.ts";
import { FeedList, type FeedListProps } from "./feed-list.tsx";
import classes from "./feed-page.module.css";
import { createFeedQuery } from "./feed-queries.ts";
import { FeedToolbar } from "./feed-toolbar.tsx";
import { OfflineNotice } from "./offline-notice.tsx";
import { EmptyFeed } from "./empty-feed.tsx";
import { useUrgentItems } from "./use-urgent-items.ts";
import { useFeedShortcuts } from "./use-feed-shortcuts.ts";

const route = getRouteApi("/signed-in/feed");

const FirstSteps = lazy(async () => ({ default: (await import("../first-steps.tsx")).FirstSteps }));

/** The account's notifications, newest first, with the open one next to them. */
export function FeedPage() {
  const { t } = useTranslation();
  const filter = route.useSearch();
  const feed = useQuery(createFeedQuery(filter));
  const { id } = useParams({ strict: false });
  const pageRef = useRef<HTMLDivElement>(null);
  const { items } = feed.data ?? NO_ITEMS;
  const urgentItems = useUrgentItems(filter, id ?? null);
  useFeedShortcuts(pageRef, { items: putUrgentFirst(items, urgentItems), openedId: id ?? null });
  const { hasStarted, start, dismiss } = useFirstStepsProgress(useAccount().id);
  const isFeedEmpty = feed.data !== undefined && items.length === 0 && isUnfiltered(filter);
  const hasSteps = isFeedEmpty || (hasStarted && feed.data !== undefined && isUnfiltered(filter));
  return (
    <div
      ref={pageRef}
      className={classes["feed"]}
      data-feed
      data-opened={id !== undefined || undefined}
    >
      <Page title={t("feed.title")} width="full">
        <Announcement items={items} />
        {!isFeedEmpty && <FeedToolbar filter={filter} />}
        <div className={classes["panes"]}>
          <div className={classes["list"]}>
            {hasSteps && (
              <Suspense>
                <FirstSteps arrivedItem={items[0] ?? null} onStart={start} onDismiss={dismiss} />
              </Suspense>
            )}
            {!isFeedEmpty && (
              <QueryContent query={feed} rows={6}>
                {(data) => (
                  <FeedContent
                    filter={filter}
                    feed={data}
                    urgentItems={urgentItems}
                    openedId={id ?? null}
                    hasSteps={hasSteps}
                  />
                )}
              </QueryContent>
            )}
          </div>
          {(id !== undefined || !isFeedEmpty) && (
            <div className={classes["detail"]}>
              <Outlet />
            </div>
          )}
        </div>
      </Page>
    </div>
  );
}

interface FeedContentProps extends Omit<FeedListProps, "density"> {
  /** Whether the first steps are shown. They already show whether this browser is a device. */
  readonly hasSteps: boolean;
}

function FeedContent({ filter, feed, urgentItems, openedId, hasSteps }: FeedContentProps) {
  const density = useDensity();
  const isEmpty = feed.items.length === 0 && feed.nextCursor === null;
  return (
    <>
      {feed.keptAt !== undefined && <OfflineNotice storedAt={feed.keptAt} />}
      {feed.keptAt === undefined && isUnfiltered(filter) && !hasSteps && <DeviceNotice />}
      {isEmpty ? (
        <EmptyFeed filter={filter} />
      ) : (
        <FeedList
          key={JSON.stringify([filter, density])}
          filter={filter}
          feed={feed}
          urgentItems={urgentItems}
          openedId={openedId}
          density={density}
        />
      )}
    </>
  );
}

/** Loaded only in a browser that can become a device. */
const ThisDevicePanel = lazy(async () => ({
  default: (await import("../../devices/this-device-panel.tsx")).ThisDevicePanel,
}));

/** A notice that this browser can become a device. */
function DeviceNotice() {
  const { data } = useThisDevice().query;
  const canTurnOn = data?.notificationState === "off" || data?.notificationState === "other-key";
  return canTurnOn ? (
    <Suspense>
      <ThisDevicePanel />
    </Suspense>
  ) : null;
}
