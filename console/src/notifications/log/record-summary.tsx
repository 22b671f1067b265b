import { Anchor, Badge } from "@mantine/core";
import { CONTENT_FIELDS, type NotificationDetail } from "@tocsin/sdk";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { Timestamp } from "../../page/timestamp.tsx";
import { ConfirmLink } from "../confirm-link.tsx";
import { NotificationBody } from "../body/notification-body.tsx";
import { fieldsShownAs, type FieldShownAs } from "../content/field-display.ts";
import { classifyLink } from "../classify-link.ts";
import { OutcomeSummary } from "./outcome-summary.tsx";
import classes from "./record.module.css";
import { describeKey, describeAudience } from "./describe-audience.ts";

/** The content of a notification, its sender and recipients, and its overall outcome. */
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
      <Fact name={t("log.by")}>{describeKey(record)}</Fact>
      <Fact name={t("log.sentAt")}>
        <Timestamp at={createdAt} />
      </Fact>
      <Fact name={t("log.expires")}>
        <Timestamp at={expiresAt} />
      </Fact>
      {fieldsShownAs("record", "fact").map((field) => {
        const value = record[field];
        if (value === null || value === false) return null;
        return (
          <Fact key={field} name={t(`wording.${field}`)}>
            {value === true ? t("log.urgentYes") : <FactValue field={field} text={value} />}
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
    case "choice":
    case "flag":
      return text;
  }
}

function SentLink({ link }: { readonly link: string }) {
  const classified = classifyLink(link);
  if (classified.kind === "open" && classified.isWeb) {
    return (
      <Anchor href={classified.url.href} target="_blank" rel="noopener noreferrer" size="sm">
        {classified.url.host}
      </Anchor>
    );
  }
  if (classified.kind === "open") {
    return (
      <Anchor href={classified.url.href} size="sm">
        {link}
      </Anchor>
    );
  }
  return (
    <>
      {link} {classified.kind === "ask" && <ConfirmLink url={classified.url} />}
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
