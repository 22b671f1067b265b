import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { MailState } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Card } from "../page/card.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { AdministrationFrame } from "./administration-frame.tsx";
import { healthQuery } from "./administration-queries.ts";
import classes from "./administration.module.css";
import { TestMailButton } from "./test-mail-button.tsx";

/** The state of outgoing email, with a button that sends a test email. */
export function MailPage() {
  const { t } = useTranslation();
  const query = useQuery(healthQuery);
  return (
    <AdministrationFrame>
      <QueryContent query={query}>
        {({ mail }) => (
          <Card title={t(mail.isConfigured ? "admin.mailOn" : "admin.mailOff")}>
            {mail.isConfigured ? (
              <MailFacts mail={mail} />
            ) : (
              <Text size="sm">{t("admin.mailOffText")}</Text>
            )}
            <TestMailButton />
          </Card>
        )}
      </QueryContent>
    </AdministrationFrame>
  );
}

function MailFacts({ mail }: { readonly mail: MailState }) {
  const { t } = useTranslation();
  const { lastFailure, lastTakenAt, oldestAt } = mail;
  const waitingText = t("admin.mailCount", { count: mail.owed });
  const facts = [
    [t("admin.mailServer"), mail.host ?? ""],
    [t("admin.mailFrom"), mail.from ?? ""],
    [
      t("admin.mailQueued"),
      oldestAt === null
        ? waitingText
        : `${waitingText}, ${t("admin.oldest", { when: formatTimestamp(oldestAt) })}`,
    ],
    [
      t("admin.mailLastAccepted"),
      lastTakenAt === null ? t("admin.noneYet") : formatTimestamp(lastTakenAt),
    ],
    [
      t("admin.mailLastFailed"),
      lastFailure === null
        ? t("admin.noneYet")
        : `${formatTimestamp(lastFailure.at)} (${lastFailure.reason})`,
    ],
  ] as const;
  return (
    <dl className={classes["facts"]}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
