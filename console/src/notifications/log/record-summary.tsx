import { Anchor, Badge } from "@mantine/core";
import type { NotificationDetail } from "@tocsin/sdk";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../page/card.tsx";
import { Moment } from "../../page/moment.tsx";
import { AskedLink } from "../asked-link.tsx";
import { Body } from "../body/body.tsx";
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
  const { channel, createdAt, expiresAt, link, sound, timeSensitive } = record;
  return (
    <dl className={classes["facts"]}>
      <Fact name={t("log.target")}>{targetWords(record)}</Fact>
      <Fact name={t("log.by")}>{keyWords(record)}</Fact>
      <Fact name={t("log.channel")}>
        <Badge size="sm" variant="default">
          {channel}
        </Badge>
      </Fact>
      <Fact name={t("log.sentAt")}>
        <Moment at={createdAt} />
      </Fact>
      <Fact name={t("log.expires")}>
        <Moment at={expiresAt} />
      </Fact>
      {sound !== null && <Fact name={t("log.sound")}>{sound}</Fact>}
      {timeSensitive && <Fact name={t("log.urgent")}>{t("log.urgentYes")}</Fact>}
      {link !== null && (
        <Fact name={t("log.link")}>
          <SentLink link={link} />
        </Fact>
      )}
    </dl>
  );
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
