import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { MailState } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Card } from "../page/card.tsx";
import { momentOf } from "../page/moment.tsx";
import { Loaded } from "../page/states.tsx";
import { AdministrationPage } from "./administration-page.tsx";
import { healthQuery } from "./administration-queries.ts";
import classes from "./administration.module.css";
import { MailTest } from "./mail-test.tsx";

/** The state of mail, and a test mail. */
export function MailPage() {
  const { t } = useTranslation();
  const query = useQuery(healthQuery);
  return (
    <AdministrationPage>
      <Loaded query={query}>
        {({ mail }) => (
          <Card title={t(mail.isConfigured ? "admin.mailOn" : "admin.mailOff")}>
            {mail.isConfigured ? (
              <MailFacts mail={mail} />
            ) : (
              <Text size="sm">{t("admin.mailOffText")}</Text>
            )}
            <MailTest />
          </Card>
        )}
      </Loaded>
    </AdministrationPage>
  );
}

function MailFacts({ mail }: { readonly mail: MailState }) {
  const { t } = useTranslation();
  const { lastFailure, lastTakenAt, oldestAt } = mail;
  const waiting = t("admin.mailWaiting", { count: mail.owed });
  const facts = [
    [t("admin.mailServer"), mail.host ?? ""],
    [t("admin.mailFrom"), mail.from ?? ""],
    [
      t("admin.mailOwed"),
      oldestAt === null
        ? waiting
        : `${waiting}, ${t("admin.oldest", { when: momentOf(oldestAt) })}`,
    ],
    [t("admin.mailTaken"), lastTakenAt === null ? t("admin.noneYet") : momentOf(lastTakenAt)],
    [
      t("admin.mailFailed"),
      lastFailure === null
        ? t("admin.noneYet")
        : `${momentOf(lastFailure.at)} (${lastFailure.reason})`,
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
