import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Form } from "../page/form.tsx";
import { PATHS } from "../paths.ts";
import { createTeam } from "./team-queries.ts";

interface CreateTeamDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that creates a team and opens its page. */
export function CreateTeamDialog({ isOpen, onClose }: CreateTeamDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const field = {
    name: "name",
    label: t("team.name"),
    hint: t("team.nameHint"),
    type: "text",
    autoComplete: "off",
  } as const;
  const create = async (getValue: (name: string) => string) => {
    const id = await createTeam(queryClient, getValue("name"));
    await navigate({ to: PATHS.team, params: { id } });
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("team.newTeam")}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Form fields={[field]} submitLabel={t("team.create")} onSubmit={create} />
    </Modal>
  );
}
