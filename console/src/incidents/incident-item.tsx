import { IconAlertTriangle } from "@tabler/icons-react";
import type { Incident } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../page/button-link.tsx";
import { ListItem } from "../page/list.tsx";
import { PATHS } from "../paths.ts";
import { ActButton } from "./act-button.tsx";
import { IncidentBadge } from "./incident-badge.tsx";
import { getPossibleActs } from "./incident-facts.ts";
import { IncidentFactsText, IncidentHeadline } from "./incident-texts.tsx";

interface IncidentItemProps {
  readonly incident: Incident;
  /** The id of its notification in the reader's feed. */
  readonly notificationId: string;
}

/** An incident in the list: how long it has been open, who has it, and a button that acknowledges it. */
export function IncidentItem({ incident, notificationId }: IncidentItemProps) {
  const { t } = useTranslation();
  const title = incident.title === "" ? t("incident.untitled") : incident.title;
  const actions = (
    <>
      <ButtonLink
        to={PATHS.notification}
        params={{ id: notificationId }}
        variant="default"
        aria-label={`${t("incident.open")}: ${title}`}
      >
        {t("incident.open")}
      </ButtonLink>
      {getPossibleActs(incident).acknowledge && (
        <ActButton incident={{ id: incident.id, title }} act="acknowledge" isInList />
      )}
    </>
  );
  return (
    <ListItem
      icon={IconAlertTriangle}
      title={title}
      id={incident.id}
      badge={<IncidentBadge state={incident.state} />}
      actions={actions}
    >
      <IncidentHeadline incident={incident} />
      <IncidentFactsText incident={incident} />
    </ListItem>
  );
}
