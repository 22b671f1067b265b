import { IconMailOpened, IconSearchOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { EmptyState } from "../../page/states.tsx";
import { PATHS } from "../../paths.ts";
import type { FeedFilter } from "./feed-filter.ts";

/** Message for an empty part of the feed, with ways to see more. */
export function NothingFound({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const { q, channel = "", unread } = filter;
  const isAllRead = q === undefined && unread === true;
  const ofChannel = isAllRead
    ? t("feed.allReadChannelText", { channel })
    : t("feed.emptyChannelText", { channel });
  const where = channel === "" ? t("feed.emptyText") : ofChannel;
  return (
    <Card>
      <EmptyState
        icon={isAllRead ? IconMailOpened : IconSearchOff}
        title={isAllRead ? t("feed.allRead") : t("feed.empty")}
        text={q === undefined ? where : t("feed.emptySearchText", { q })}
      >
        <ButtonLink to={PATHS.feed} search={{}} variant="default">
          {t("feed.showAll")}
        </ButtonLink>
      </EmptyState>
    </Card>
  );
}
