import type { ButtonProps } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Incident } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { showToast } from "../page/toasts.ts";
import { actOnIncident, type IncidentActName } from "./incident-queries.ts";

interface ActButtonProps extends Pick<ButtonProps, "size" | "variant" | "fullWidth"> {
  readonly incident: Pick<Incident, "id" | "title">;
  readonly act: IncidentActName;
  /** Adds the title to the accessible name, so that the buttons of a list differ. */
  readonly isInList?: true;
}

/** A button that performs an act on an incident. */
export function ActButton({ incident, act, isInList, ...props }: ActButtonProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const label = t(`incident.act.${act}`);
  const run = async () => {
    const isChanged = await actOnIncident(queryClient, act, incident.id);
    if (!isChanged) showToast(t("incident.unchanged"));
  };
  return (
    <ActionButton
      {...props}
      {...(isInList && { "aria-label": `${label}: ${incident.title}` })}
      run={run}
    >
      {label}
    </ActionButton>
  );
}
