import type { IncidentDetail, IncidentHistoryEntry } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Timestamp } from "../page/timestamp.tsx";
import { getPushResult } from "./incident-facts.ts";
import { useActorName } from "./incident-texts.tsx";
import classes from "./incident.module.css";

/** The history of an incident, the newest entry first. */
export function IncidentHistory({ incident }: { readonly incident: IncidentDetail }) {
  const { t } = useTranslation();
  return (
    <details open>
      <summary className={classes["summary"]}>{t("incident.history")}</summary>
      <ol className={classes["history"]} aria-label={t("incident.history")} reversed>
        {incident.history.toReversed().map((entry) => (
          <li key={entry.id} className={classes["entry"]} data-kind={entry.kind}>
            <Timestamp at={entry.at} />
            <EntryText incident={incident} entry={entry} />
          </li>
        ))}
      </ol>
      {incident.earlierCursor !== null && (
        <p className={classes["entry"]}>
          {t("incident.hasEarlier", {
            path: `/api/app/v1/incidents/${incident.id}?cursor=${incident.earlierCursor}`,
          })}
        </p>
      )}
    </details>
  );
}

interface EntryTextProps {
  readonly incident: IncidentDetail;
  readonly entry: IncidentHistoryEntry;
}

function EntryText({ incident, entry }: EntryTextProps) {
  const { t } = useTranslation();
  const nameActor = useActorName();
  const { kind, act, detail } = entry;
  const { step, round, occurrences, note, reachesNobody, alreadyRinging, passedOver, withheld } =
    detail;
  const text = t(`incident.entry.${kind}`, { step, round, occurrences });
  const means = act === null || act.name === null ? null : t(`incident.via.${act.via}`);
  const actor =
    act === null ? [] : [t("incident.by", { name: nameActor(act) }), act.deviceName ?? means];
  const push = getPushResult(incident, entry);
  const parts = [
    text,
    ...actor,
    withheld === true ? t("incident.withheld") : null,
    reachesNobody === true ? t("incident.reachesNobody") : null,
    typeof passedOver === "number" ? t("incident.passedOver", { count: passedOver }) : null,
    alreadyRinging === undefined ? null : t("incident.alreadyRinging"),
    push === null ? null : t("incident.pushResult", { ...push }),
  ];
  return (
    <span>
      {parts.filter((part) => part !== null).join(" · ")}
      {typeof note === "string" && (
        <span className={classes["note"]} dir="auto">
          {note}
        </span>
      )}
    </span>
  );
}
