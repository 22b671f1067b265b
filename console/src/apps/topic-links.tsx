import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { channelsQuery } from "../notifications/feed/feed-queries.ts";
import { toTopicLink } from "./app-facts.ts";
import classes from "./apps.module.css";

/**
 * Links that add the channels of the feed to the ntfy app, each as a topic of its own. Renders nothing without
 * channels.
 */
export function TopicLinks({ url }: { readonly url: string }) {
  const { t } = useTranslation();
  const { data: channels = [] } = useQuery(channelsQuery);
  const links = channels.flatMap(({ name }) => {
    const href = toTopicLink(url, name);
    return href === null ? [] : [{ name, href }];
  });
  if (links.length === 0) return null;
  return (
    <div>
      <Text size="sm" c="dimmed">
        {t("app.topicsText")}
      </Text>
      <ul className={classes["topics"]} aria-label={t("app.topics")}>
        {links.map(({ name, href }) => (
          <li key={name}>
            <Anchor href={href} size="sm" underline="always">
              {name}
            </Anchor>
          </li>
        ))}
      </ul>
    </div>
  );
}
