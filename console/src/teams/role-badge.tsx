import { Badge } from "@mantine/core";
import type { TeamRole } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";

/** A badge with a team role. */
export function RoleBadge({ role }: { readonly role: TeamRole }) {
  const { t } = useTranslation();
  return (
    <Badge variant="light" color={role === "member" ? "gray" : "accent"}>
      {t(`team.roles.${role}`)}
    </Badge>
  );
}
