import { useQuery } from "@tanstack/react-query";
import type { Finding, ServerHealth } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { currentLocale } from "../language/language.ts";
import { Card } from "../page/card.tsx";
import { Timestamp } from "../page/timestamp.tsx";
import { QueryContent } from "../page/states.tsx";
import { AdministrationPage } from "./administration-page.tsx";
import { healthQuery } from "./administration-queries.ts";
import classes from "./administration.module.css";
import { secondsBetween, formatSize } from "./format-size.ts";
import { BackupCard } from "./backup-card.tsx";
import { Findings } from "./findings.tsx";

/** The server's health: checks with remedies, facts and the backup. */
export function HealthPage() {
  const query = useQuery(healthQuery);
  return (
    <AdministrationPage>
      <QueryContent query={query}>
        {(health) => <Health health={health} receivedAt={query.dataUpdatedAt} />}
      </QueryContent>
    </AdministrationPage>
  );
}

interface HealthProps {
  readonly health: ServerHealth;
  /** Time of the response by this browser's clock, in milliseconds. */
  readonly receivedAt: number;
}

function Health({ health, receivedAt }: HealthProps) {
  const { t } = useTranslation();
  const clock = useClockFinding(health, receivedAt);
  return (
    <>
      <Card title={t("admin.checks")}>
        <Findings findings={[...health.findings, clock]} />
      </Card>
      <Card title={t("admin.facts")}>
        <Facts health={health} />
      </Card>
      <BackupCard />
    </>
  );
}

/** Accepted clock offset. With a larger one, push services reject the server's signatures. */
const CLOCK_OFFSET_MAX_S = 60;

function useClockFinding({ now }: ServerHealth, receivedAt: number): Finding {
  const { t } = useTranslation();
  const seconds = secondsBetween(now, receivedAt);
  const isOff = seconds > CLOCK_OFFSET_MAX_S;
  return {
    subject: "clock",
    status: isOff ? "warn" : "ok",
    message: t(isOff ? "admin.clockFar" : "admin.clockGood", { seconds }),
    mend: isOff ? t("admin.clockMend") : null,
  };
}

function Facts({ health }: { readonly health: ServerHealth }) {
  const { t } = useTranslation();
  const language = currentLocale();
  const { database, disk, queue } = health;
  const size = (bytes: number) => formatSize(bytes, language);
  const facts = [
    [t("admin.version"), `Tocsin ${health.version}, Node ${health.node}`],
    [t("admin.address"), health.baseUrl],
    [t("admin.since"), <Timestamp key="since" at={health.startedAt} />],
    [
      t("admin.database"),
      `${DATABASE_NAMES[database.engine] ?? database.engine}, ${size(database.sizeBytes)}`,
    ],
    [t("admin.step"), database.step],
    [
      t("admin.disk"),
      t("admin.free", { free: size(disk.freeBytes), total: size(disk.totalBytes) }),
    ],
    [t("admin.queue"), t("admin.queued", { jobs: queue.jobs, due: queue.due })],
    [t("admin.delay"), t("admin.delayed", { ms: health.loopDelayMs })],
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

const DATABASE_NAMES: Readonly<Record<string, string>> = {
  sqlite: "SQLite",
  postgres: "PostgreSQL",
};
