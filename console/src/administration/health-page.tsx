import { useQuery } from "@tanstack/react-query";
import type { Finding, ServerHealth } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { currentLocale } from "../language/language.ts";
import { Card } from "../page/card.tsx";
import { Moment } from "../page/moment.tsx";
import { Loaded } from "../page/states.tsx";
import { AdministrationPage } from "./administration-page.tsx";
import { healthQuery } from "./administration-queries.ts";
import classes from "./administration.module.css";
import { secondsBetween, sizeOf } from "./amount.ts";
import { BackupCard } from "./backup-card.tsx";
import { Findings } from "./findings.tsx";

/** The server's health, its problems and their remedies. */
export function HealthPage() {
  const query = useQuery(healthQuery);
  return (
    <AdministrationPage>
      <Loaded query={query}>
        {(health) => <Health health={health} seenAt={query.dataUpdatedAt} />}
      </Loaded>
    </AdministrationPage>
  );
}

interface HealthProps {
  readonly health: ServerHealth;
  /** Time of the answer by this browser's clock, in milliseconds. */
  readonly seenAt: number;
}

function Health({ health, seenAt }: HealthProps) {
  const { t } = useTranslation();
  const clock = useClockFinding(health, seenAt);
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

/** Seconds by which the clock may be off; beyond that, push services refuse what the server signs. */
const CLOCK_BEARABLE_S = 60;

function useClockFinding({ now }: ServerHealth, seenAt: number): Finding {
  const { t } = useTranslation();
  const seconds = secondsBetween(now, seenAt);
  const isFar = seconds > CLOCK_BEARABLE_S;
  return {
    subject: "clock",
    status: isFar ? "warn" : "ok",
    message: t(isFar ? "admin.clockFar" : "admin.clockGood", { seconds }),
    mend: isFar ? t("admin.clockMend") : null,
  };
}

function Facts({ health }: { readonly health: ServerHealth }) {
  const { t } = useTranslation();
  const language = currentLocale();
  const { database, disk, queue } = health;
  const size = (bytes: number) => sizeOf(bytes, language);
  const facts = [
    [t("admin.version"), `Tocsin ${health.version}, Node ${health.node}`],
    [t("admin.address"), health.baseUrl],
    [t("admin.since"), <Moment key="since" at={health.startedAt} />],
    [
      t("admin.database"),
      `${DATABASES[database.engine] ?? database.engine}, ${size(database.sizeBytes)}`,
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

const DATABASES: Readonly<Record<string, string>> = { sqlite: "SQLite", postgres: "PostgreSQL" };
