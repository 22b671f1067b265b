import { Anchor, Badge } from "@mantine/core";
import { CONTENT_FIELDS, type NotificationDetail } from "@tocsin/sdk";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { Moment } from "../../page/moment.tsx";
import { AskedLink } from "../asked-link.tsx";
import { Body } from "../body/body.tsx";
import { fieldsAt, type FieldAt } from "../content/places.ts";
import { offeredLink } from "../link.ts";
import { Counts } from "./counts.tsx";
import classes from "./record.module.css";
import { keyWords, targetWords } from "./target-words.ts";

/** Content of a notification, its sender and audience, and its outcome as a whole. */
export function RecordSummary({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const { title, body, markdown, counts } = record;
  return (
    <Card title={title === "" ? t("feed.untitled") : title}>
      {body !== "" && <Body body={body} markdown={markdown} />}
      <Facts record={record} />
      <Counts counts={counts} />
    </Card>
  );
}

function Facts({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const { createdAt, expiresAt } = record;
  return (
    <dl className={classes["facts"]}>
      <Fact name={t("log.target")}>{targetWords(record)}</Fact>
      <Fact name={t("log.by")}>{keyWords(record)}</Fact>
      <Fact name={t("log.sentAt")}>
        <Moment at={createdAt} />
      </Fact>
      <Fact name={t("log.expires")}>
        <Moment at={expiresAt} />
      </Fact>
      {fieldsAt("record", "fact").map((field) => {
        const value = record[field];
        if (value === null || value === false) return null;
        return (
          <Fact key={field} name={t(`wording.${field}`)}>
            {value === true ? t("log.urgentYes") : <Value field={field} text={value} />}
          </Fact>
        );
      })}
    </dl>
  );
}

function Value({
  field,
  text,
}: {
  readonly field: FieldAt<"record", "fact">;
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
  const offered = offeredLink(link);
  if (offered.kind === "open" && offered.isWeb) {
    return (
      <Anchor href={offered.url.href} target="_blank" rel="noopener noreferrer" size="sm">
        {offered.url.host}
      </Anchor>
    );
  }
  if (offered.kind === "open") {
    return (
      <Anchor href={offered.url.href} size="sm">
        {link}
      </Anchor>
    );
  }
  return (
    <>
      {link} {offered.kind === "ask" && <AskedLink url={offered.url} />}
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
