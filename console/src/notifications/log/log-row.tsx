import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { NotificationRecord } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Moment } from "../../page/moment.tsx";
import { PATHS } from "../../paths.ts";
import { Counts } from "./counts.tsx";
import classes from "./log.module.css";

/** One notification of the log. */
export function LogRow({ record }: { readonly record: NotificationRecord }) {
  const { t } = useTranslation();
  const { id, title, body, createdAt, counts } = record;
  return (
    <li className={classes["row"]}>
      <div className={classes["text"]}>
        <Link to={PATHS.record} params={{ id }} className={classes["title"]} dir="auto">
          {title === "" ? t("feed.untitled") : title}
        </Link>
        {body !== "" && (
          <Text size="sm" c="dimmed" lineClamp={1} dir="auto">
            {body}
          </Text>
        )}
        <Counts counts={counts} />
      </div>
      <Text size="xs" c="dimmed" component="span" className={classes["when"] ?? ""}>
        <Moment at={createdAt} />
      </Text>
    </li>
  );
}
