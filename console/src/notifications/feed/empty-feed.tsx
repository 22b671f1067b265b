import { IconMailOpened, IconSearchOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { EmptyState } from "../../page/query-states.tsx";
import { PATHS } from "../../paths.ts";
import type { FeedFilter } from "./feed-filter.ts";

/** The message for a filter without results, with a link that shows the whole feed. */
export function EmptyFeed({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const { q, channel = "", unread } = filter;
  const isAllRead = q === undefined && unread === true;
  const channelText = isAllRead
    ? t("feed.allReadChannelText", { channel })
    : t("feed.emptyChannelText", { channel });
  const text = channel === "" ? t("feed.emptyText") : channelText;
  return (
    <Card>
      <EmptyState
        icon={isAllRead ? IconMailOpened : IconSearchOff}
        title={isAllRead ? t("feed.allRead") : t("feed.empty")}
        text={q === undefined ? text : t("feed.emptySearchText", { q })}
      >
        <ButtonLink to={PATHS.feed} search={{}} variant="default">
          {t("feed.showAll")}
        </ButtonLink>
      </EmptyState>
    </Card>
  );
}
