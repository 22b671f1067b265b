import { Text } from "@mantine/core";
import type { Incident, IncidentAct } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useNow } from "../notifications/log/use-now.ts";
import { Timestamp } from "../page/timestamp.tsx";
import { getTimes } from "./incident-facts.ts";
import { formatDelay } from "./policies/format-delay.ts";

/** Returns a function that names the actor: the person, or otherwise a text for the means. */
export function useActorName(): (act: IncidentAct | null) => string {
  const { t } = useTranslation();
  return (act) => act?.name ?? t(`incident.actor.${act?.via ?? "time"}`);
}

/** A sentence about the state of an incident, with who acknowledged or resolved it, and when. */
export function IncidentHeadline({ incident }: { readonly incident: Incident }) {
  const { t } = useTranslation();
  const nameActor = useActorName();
  const { state, acknowledgement, resolution } = incident;
  const act = state === "acknowledged" ? acknowledgement : state === "resolved" ? resolution : null;
  return (
    <Text fw={500}>
      {t(`incident.headline.${state}`, { name: nameActor(act) })}
      {act !== null && (
        <>
          {" · "}
          <Timestamp at={act.at} />
        </>
      )}
    </Text>
  );
}

/** How long an incident has been open, how often it was triggered, and when it rings again or reaches its next step. */
export function IncidentFactsText({ incident }: { readonly incident: Incident }) {
  const { t } = useTranslation();
  const { state, occurrences, step, stepCount, policyName } = incident;
  const isOpen = state !== "resolved";
  const { openSeconds, nextRoundSeconds, nextStepSeconds } = getTimes(incident, useNow(isOpen));
  return (
    <Text size="sm" c="dimmed" component="div">
      {isOpen ? (
        <>{t("incident.openFor", { delay: formatDelay(openSeconds) })}</>
      ) : (
        <>
          {t("incident.opened")} <Timestamp at={incident.openedAt} />
        </>
      )}
      {occurrences > 1 && ` · ${t("incident.occurrences", { count: occurrences })}`}
      {policyName !== null &&
        ` · ${t("incident.policy", { name: policyName, step, count: stepCount })}`}
      {nextRoundSeconds !== null && (
        <div>
          {nextRoundSeconds === 0
            ? t("incident.ringsNow")
            : t("incident.ringsIn", { delay: formatDelay(nextRoundSeconds) })}
        </div>
      )}
      {nextStepSeconds !== null && (
        <div>
          {nextStepSeconds === 0
            ? t("incident.stepNow")
            : t("incident.stepIn", { delay: formatDelay(nextStepSeconds) })}
        </div>
      )}
    </Text>
  );
}
