import { Badge, type BadgeProps } from "@mantine/core";
import type { IncidentState } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";

const STYLES: Readonly<Record<IncidentState, BadgeProps>> = {
  triggered: { variant: "filled", color: "red" },
  acknowledged: { variant: "light" },
  expired: { variant: "light", color: "red" },
  resolved: { variant: "default" },
};

/** A badge with the state of an incident. */
export function IncidentBadge({ state }: { readonly state: IncidentState }) {
  const { t } = useTranslation();
  return (
    <Badge size="sm" {...STYLES[state]}>
      {t(`incident.state.${state}`)}
    </Badge>
  );
}
