import { Text } from "@mantine/core";
import { IconBell, IconChecks } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ThisDevicePanel } from "../devices/this-device-panel.tsx";
import { useThisDevice } from "../devices/use-this-device.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Page } from "../page/page.tsx";
import { Loaded } from "../page/states.tsx";
import { Announcement } from "./announcement.tsx";
import { FeedList } from "./feed-list.tsx";
import classes from "./feed-page.module.css";
import { feedQuery, markAllRead } from "./feed-queries.ts";
import { FirstSteps } from "./first-steps.tsx";

/** What reached the account, newest first, and beside it the one that is opened. */
export function FeedPage() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const feed = useQuery(feedQuery);
  const { id } = useParams({ strict: false });
  const hasUnread = feed.data?.items.some(({ readAt }) => readAt === null) ?? false;
  const actions = hasUnread && (
    <ActionButton
      className={classes["markAll"] ?? ""}
      size="xs"
      variant="default"
      leftSection={<IconChecks size={16} aria-hidden />}
      run={() => markAllRead(queryClient)}
    >
      {t("feed.markAllRead")}
    </ActionButton>
  );
  return (
    <div className={classes["feed"]} data-opened={id !== undefined || undefined}>
      <Page title={t("feed.title")} actions={actions} width="wide">
        <Announcement items={feed.data?.items ?? []} />
        <div className={classes["panes"]}>
          <div className={classes["list"]}>
            <Loaded query={feed} rows={6}>
              {({ items, nextCursor }) =>
                items.length === 0 ? (
                  <FirstSteps />
                ) : (
                  <>
                    <Nudge />
                    <FeedList items={items} hasMore={nextCursor !== null} openedId={id ?? null} />
                  </>
                )
              }
            </Loaded>
          </div>
          {(id !== undefined || (feed.data?.items.length ?? 0) > 0) && (
            <div className={classes["detail"]}>
              <Outlet />
            </div>
          )}
        </div>
      </Page>
    </div>
  );
}

/** Where nothing is opened, on a screen that has room for more than the list. */
export function NothingOpened() {
  const { t } = useTranslation();
  return (
    <div className={classes["nothing"]}>
      <IconBell size={32} stroke={1.25} aria-hidden />
      <Text size="sm">{t("feed.choose")}</Text>
    </div>
  );
}

/** Says that this browser is no device yet, where it could be one. */
function Nudge() {
  const { data } = useThisDevice().query;
  const isMissing = data?.capability === "off" || data?.capability === "other-key";
  return isMissing ? <ThisDevicePanel /> : null;
}
