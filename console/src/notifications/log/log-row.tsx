import { Badge, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { NotificationRecord } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Moment } from "../../page/moment.tsx";
import { PATHS } from "../../paths.ts";
import { Counts } from "./counts.tsx";
import classes from "./log.module.css";
import { keyWords, targetWords } from "./target-words.ts";

/** One notification of the log: a row of the table, on a phone a card. */
export function LogRow({ record }: { readonly record: NotificationRecord }) {
  const { t } = useTranslation();
  const { id, title, body, channel, createdAt, counts } = record;
  return (
    <li className={classes["row"]}>
      <div className={classes["what"]}>
        <Link to={PATHS.record} params={{ id }} className={classes["title"]} dir="auto">
          {title === "" ? t("feed.untitled") : title}
        </Link>
        {body !== "" && (
          <Text size="xs" c="dimmed" lineClamp={1} dir="auto">
            {body}
          </Text>
        )}
      </div>
      <span className={classes["cell"]} dir="auto">
        {targetWords(record)}
      </span>
      <span className={classes["channel"]}>
        <Badge size="sm" variant="default">
          {channel}
        </Badge>
      </span>
      <span className={classes["cell"]} dir="auto">
        {keyWords(record)}
      </span>
      <div className={classes["result"]}>
        <Counts counts={counts} />
      </div>
      <span className={classes["when"]}>
        <Moment at={createdAt} />
      </span>
    </li>
  );
}
