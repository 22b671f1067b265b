import { useQuery } from "@tanstack/react-query";
import type { Finding, ServerHealth } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { getCurrentLocale } from "../language/language.ts";
import { Card } from "../page/card.tsx";
import { Timestamp } from "../page/timestamp.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { AdministrationFrame } from "./administration-frame.tsx";
import { healthQuery } from "./administration-queries.ts";
import classes from "./administration.module.css";
import { countSecondsBetween } from "./count-seconds-between.ts";
import { formatSize } from "./format-size.ts";
import { BackupCard } from "./backup-card.tsx";
import { Findings } from "./findings.tsx";

/** The server's health: checks with remedies, facts and the backup. */
export function HealthPage() {
  const query = useQuery(healthQuery);
  return (
    <AdministrationFrame>
      <QueryContent query={query}>
        {(health) => <HealthContent health={health} receivedAt={query.dataUpdatedAt} />}
      </QueryContent>
    </AdministrationFrame>
  );
}

interface HealthContentProps {
  readonly health: ServerHealth;
  /** Time of the response by this browser's clock, in milliseconds. */
  readonly receivedAt: number;
}

function HealthContent({ health, receivedAt }: HealthContentProps) {
  const { t } = useTranslation();
  const clockFinding = useClockFinding(health, receivedAt);
  return (
    <>
      <Card title={t("admin.checks")}>
        <Findings findings={[...health.findings, clockFinding]} />
      </Card>
      <Card title={t("admin.facts")}>
        <ServerFacts health={health} />
      </Card>
      <BackupCard />
    </>
  );
}

/** Accepted clock offset. With a larger one, push services may reject the server's signatures. */
const CLOCK_OFFSET_MAX_S = 60;

function useClockFinding({ now }: ServerHealth, receivedAt: number): Finding {
  const { t } = useTranslation();
  const seconds = countSecondsBetween(now, receivedAt);
  const isTooFar = seconds > CLOCK_OFFSET_MAX_S;
  return {
    subject: "clock",
    status: isTooFar ? "warn" : "ok",
    message: t(isTooFar ? "admin.clockOffset" : "admin.clockInSync", { seconds }),
    mend: isTooFar ? t("admin.clockRemedy") : null,
  };
}

function ServerFacts({ health }: { readonly health: ServerHealth }) {
  const { t } = useTranslation();
  const language = getCurrentLocale();
  const { database, disk, queue } = health;
  const formatBytes = (bytes: number) => formatSize(bytes, language);
  const facts = [
    [t("admin.version"), `Tocsin ${health.version}, Node ${health.node}`],
    [t("admin.address"), health.baseUrl],
    [t("admin.since"), <Timestamp key="since" at={health.startedAt} />],
    [
      t("admin.database"),
      `${DATABASE_NAMES[database.engine] ?? database.engine}, ${formatBytes(database.sizeBytes)}`,
    ],
    [t("admin.databaseVersion"), database.step],
    [
      t("admin.disk"),
      t("admin.free", { free: formatBytes(disk.freeBytes), total: formatBytes(disk.totalBytes) }),
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
