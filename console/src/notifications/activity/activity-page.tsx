import { NativeSelect } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { ACTIVITY_DAYS, type Activity, type ActivityDays, type ActivityQuery } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../../accounts/account-context.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, QueryContent } from "../../page/query-states.tsx";
import { PATHS } from "../../paths.ts";
import classes from "./activity.module.css";
import { createActivityQuery } from "./activity-query.ts";
import { DayBars } from "./day-bars.tsx";
import { FailureReasons } from "./failure-reasons.tsx";
import { ProviderOutcomes } from "./provider-outcomes.tsx";
import { ActivityTiles } from "./activity-tiles.tsx";

/** The notifications of the last days, their outcomes and the reasons for failures. */
export function ActivityPage() {
  const { t } = useTranslation();
  const [query, setQuery] = useState<Required<ActivityQuery>>({ days: 7, scope: "own" });
  const activity = useQuery(createActivityQuery(query));
  return (
    <Page
      title={t("activity.title")}
      text={t("activity.text")}
      width="wide"
      actions={<ActivityFilter query={query} onChange={setQuery} />}
    >
      <QueryContent query={activity}>
        {(data) =>
          isEmpty(data) ? <EmptyActivity /> : <ActivityContent activity={data} query={query} />
        }
      </QueryContent>
    </Page>
  );
}

interface ActivityFilterProps {
  readonly query: Required<ActivityQuery>;
  readonly onChange: (query: Required<ActivityQuery>) => void;
}

function ActivityFilter({ query, onChange }: ActivityFilterProps) {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  return (
    <>
      {isAdmin && (
        <NativeSelect
          aria-label={t("activity.scope")}
          data={[
            { value: "own", label: t("activity.own") },
            { value: "server", label: t("activity.server") },
          ]}
          value={query.scope}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...query, scope: value === "server" ? "server" : "own" })
          }
        />
      )}
      <NativeSelect
        aria-label={t("activity.period")}
        data={ACTIVITY_DAYS.map((count) => ({
          value: String(count),
          label: t("log.lastDays", { count }),
        }))}
        value={String(query.days)}
        onChange={({ currentTarget: { value } }) => onChange({ ...query, days: parseDays(value) })}
      />
    </>
  );
}

function parseDays(value: string): ActivityDays {
  return ACTIVITY_DAYS.find((count) => String(count) === value) ?? 7;
}

function isEmpty({ days, waiting, queue }: Activity): boolean {
  const isQuiet = days.every((day) => day.sent + day.delivered + day.failed + day.skipped === 0);
  return isQuiet && waiting === 0 && (queue?.jobs ?? 0) === 0;
}

function EmptyActivity() {
  const { t } = useTranslation();
  return (
    <Card>
      <EmptyState icon={IconChartBar} title={t("activity.empty")} text={t("activity.emptyText")}>
        <ButtonLink to={PATHS.send}>{t("log.sendOne")}</ButtonLink>
      </EmptyState>
    </Card>
  );
}

interface ActivityContentProps {
  readonly activity: Activity;
  readonly query: Required<ActivityQuery>;
}

function ActivityContent({ activity, query: { days, scope } }: ActivityContentProps) {
  const { t } = useTranslation();
  return (
    <>
      <ActivityTiles activity={activity} />
      <Card title={t("activity.perDay")}>
        <DayBars days={activity.days} />
      </Card>
      <div className={classes["twoColumns"]}>
        <Card title={t("activity.byService")}>
          <ProviderOutcomes providers={activity.providers} />
        </Card>
        <Card title={t("activity.errors")}>
          <FailureReasons errors={activity.errors} days={days} isInLog={scope === "own"} />
        </Card>
      </div>
    </>
  );
}
