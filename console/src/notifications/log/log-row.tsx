import { Badge, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { NotificationRecord } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Timestamp } from "../../page/timestamp.tsx";
import { PATHS } from "../../paths.ts";
import { OutcomeSummary } from "./outcome-summary.tsx";
import classes from "./log.module.css";
import { describeKey, describeAudience } from "./describe-audience.ts";

/** A notification in the log: a table row, or a card on a phone. */
export function LogRow({ record }: { readonly record: NotificationRecord }) {
  const { t } = useTranslation();
  const { id, title, body, channel, createdAt, counts } = record;
  return (
    <li className={classes["row"]}>
      <div className={classes["message"]}>
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
        {describeAudience(record)}
      </span>
      <span className={classes["channel"]}>
        <Badge size="sm" variant="default">
          {channel}
        </Badge>
      </span>
      <span className={classes["cell"]} dir="auto">
        {describeKey(record)}
      </span>
      <div className={classes["result"]}>
        <OutcomeSummary counts={counts} />
      </div>
      <span className={classes["time"]}>
        <Timestamp at={createdAt} />
      </span>
    </li>
  );
}
