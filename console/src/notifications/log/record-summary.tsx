import { Anchor, Badge } from "@mantine/core";
import { CONTENT_FIELDS, DEFAULT_PRIORITY, PRIORITIES, type NotificationDetail } from "@tocsin/sdk";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { Timestamp } from "../../page/timestamp.tsx";
import { ConfirmLink } from "../confirm-link.tsx";
import { NotificationBody } from "../body/notification-body.tsx";
import { getFieldsShownAs, type FieldShownAs } from "../content/field-display.ts";
import { classifyLink } from "../classify-link.ts";
import { getUrgentPriority } from "../feed/get-urgent-priority.ts";
import { PriorityBadge } from "../feed/priority-badge.tsx";
import { OutcomeSummary } from "./outcome-summary.tsx";
import classes from "./record.module.css";
import { describeKey, describeAudience } from "./describe-audience.ts";

/** The content of a notification, its sender and audience, and its overall outcome. */
export function RecordSummary({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const { title, body, markdown, counts } = record;
  return (
    <Card title={title === "" ? t("feed.untitled") : title}>
      {body !== "" && <NotificationBody body={body} markdown={markdown} />}
      <Facts record={record} />
      <OutcomeSummary counts={counts} />
    </Card>
  );
}

function Facts({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const { createdAt, expiresAt } = record;
  return (
    <dl className={classes["facts"]}>
      <Fact name={t("log.target")}>{describeAudience(record)}</Fact>
      <Fact name={t("log.sentBy")}>{describeKey(record)}</Fact>
      <Fact name={t("log.sentAt")}>
        <Timestamp at={createdAt} />
      </Fact>
      <Fact name={t("log.expires")}>
        <Timestamp at={expiresAt} />
      </Fact>
      {getFieldsShownAs("record", "fact").map((field) => {
        const value = record[field];
        const isDefault = field === "priority" && value === DEFAULT_PRIORITY;
        if (value === null || value === false || isDefault) return null;
        return (
          <Fact key={field} name={t(`content.${field}`)}>
            {value === true ? t("log.yes") : <FactValue field={field} text={value} />}
          </Fact>
        );
      })}
    </dl>
  );
}

function FactValue({
  field,
  text,
}: {
  readonly field: FieldShownAs<"record", "fact">;
  readonly text: string;
}) {
  switch (CONTENT_FIELDS[field].kind) {
    case "url":
      return <SentLink link={text} />;
    case "name":
      return (
        <Badge size="sm" variant="default">
          {text}
        </Badge>
      );
    case "level":
      return <PriorityFact text={text} />;
    case "choice":
    case "flag":
      return text;
  }
}

function PriorityFact({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const priority = PRIORITIES.find((name) => name === text);
  if (priority === undefined) return text;
  if (getUrgentPriority(priority) === null) return t(`content.priorities.${priority}`);
  return <PriorityBadge priority={priority} />;
}

function SentLink({ link }: { readonly link: string }) {
  const classifiedLink = classifyLink(link);
  if (classifiedLink.kind === "open" && classifiedLink.isWeb) {
    return (
      <Anchor href={classifiedLink.url.href} target="_blank" rel="noopener noreferrer" size="sm">
        {classifiedLink.url.host}
      </Anchor>
    );
  }
  if (classifiedLink.kind === "open") {
    return (
      <Anchor href={classifiedLink.url.href} size="sm">
        {link}
      </Anchor>
    );
  }
  return (
    <>
      {link} {classifiedLink.kind === "ask" && <ConfirmLink url={classifiedLink.url} />}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}
