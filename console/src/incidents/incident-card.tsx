import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { IncidentDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { QueryContent } from "../page/query-states.tsx";
import { ActButton } from "./act-button.tsx";
import { IncidentBadge } from "./incident-badge.tsx";
import classes from "./incident.module.css";
import { getPossibleActs } from "./incident-facts.ts";
import { IncidentHistory } from "./incident-history.tsx";
import { createIncidentQuery } from "./incident-queries.ts";
import { IncidentFactsText, IncidentHeadline } from "./incident-texts.tsx";

/** The incident of a notification: its state, the acts on it, and its history. */
export function IncidentCard({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const incident = useQuery(createIncidentQuery(id));
  return (
    <section className={classes["card"]} aria-label={t("incident.card")} data-incident={id}>
      <QueryContent query={incident} rows={1}>
        {(detail) => (
          <>
            <div className={classes["state"]} role="status">
              <IncidentBadge state={detail.state} />
              <IncidentHeadline incident={detail} />
            </div>
            <IncidentFactsText incident={detail} />
            <IncidentActs incident={detail} />
            <IncidentHistory incident={detail} />
          </>
        )}
      </QueryContent>
    </section>
  );
}

const FURTHER_ACTS = ["escalate", "resolve", "ringAgain"] as const;

function IncidentActs({ incident }: { readonly incident: IncidentDetail }) {
  const possibleActs = getPossibleActs(incident);
  const furtherActs = FURTHER_ACTS.filter((act) => possibleActs[act]);
  return (
    <>
      {possibleActs.acknowledge && (
        <ActButton incident={incident} act="acknowledge" size="xl" fullWidth />
      )}
      {furtherActs.length > 0 && (
        <Group gap="xs">
          {furtherActs.map((act) => (
            <ActButton key={act} incident={incident} act={act} variant="default" />
          ))}
        </Group>
      )}
    </>
  );
}
