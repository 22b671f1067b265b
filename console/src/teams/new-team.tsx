import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Form } from "../page/form.tsx";
import { PATHS } from "../paths.ts";
import { createTeam } from "./team-queries.ts";

export interface NewTeamProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes a team and opens it. */
export function NewTeam({ isOpen, onClose }: NewTeamProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const name = {
    name: "name",
    label: t("team.name"),
    hint: t("team.nameHint"),
    type: "text",
    autoComplete: "off",
  } as const;
  const make = async (valueOf: (field: string) => string) => {
    const id = await createTeam(queryClient, valueOf("name"));
    await navigate({ to: PATHS.team, params: { id } });
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("team.make")}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Form fields={[name]} submit={t("team.create")} onSubmit={make} />
    </Modal>
  );
}
