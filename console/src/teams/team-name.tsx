import { useQueryClient } from "@tanstack/react-query";
import type { TeamDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { Card } from "../page/card.tsx";
import { Form } from "../page/form.tsx";
import { showToast } from "../page/toasts.ts";
import { refreshTeamsAndInvitations } from "./team-queries.ts";

/** A form that renames a team. */
export function TeamName({ team: { id, name } }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const field = {
    name: "name",
    label: t("team.name"),
    type: "text",
    autoComplete: "off",
    initialValue: name,
  } as const;
  const rename = async (getValue: (field: string) => string) => {
    await client.teams.update(id, { name: getValue("name") });
    await refreshTeamsAndInvitations(queryClient);
    showToast(t("team.renamed"));
  };
  return (
    <Card title={t("team.rename")}>
      <Form fields={[field]} submitLabel={t("team.save")} onSubmit={rename} />
    </Card>
  );
}
