import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TeamDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Card } from "../page/card.tsx";
import { ConfirmDialog } from "../page/confirm-dialog.tsx";
import { PATHS } from "../paths.ts";
import { countOwners } from "./roles.ts";
import { refreshTeamsAndInvitations } from "./team-queries.ts";

/** The buttons that leave or delete a team. */
export function LeaveOrDeleteTeam({ team }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  const [openDialog, setOpenDialog] = useState<"leave" | "delete" | null>(null);
  const leaveTeam = useExitTeam(() => client.teams.leave(team.id));
  const isOwner = team.role === "owner";
  const isLastOwner = isOwner && countOwners(team) === 1;
  const close = () => setOpenDialog(null);
  return (
    <Card title={t(isOwner ? "team.leaveOrDelete" : "team.leave")}>
      <Text size="sm" c="dimmed">
        {isLastOwner ? t("team.lastOwner") : t("team.leaveText", { name: team.name })}
      </Text>
      <Group gap="xs">
        {!isLastOwner && (
          <Button variant="default" onClick={() => setOpenDialog("leave")}>
            {t("team.leave")}
          </Button>
        )}
        {isOwner && (
          <Button variant="default" onClick={() => setOpenDialog("delete")}>
            {t("team.delete")}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        isOpen={openDialog === "leave"}
        title={t("team.leaveTitle", { name: team.name })}
        message={t("team.leaveText", { name: team.name })}
        actionLabel={t("team.leave")}
        onConfirm={leaveTeam}
        onClose={close}
      />
      {openDialog === "delete" && <DeleteTeamDialog team={team} onClose={close} />}
    </Card>
  );
}

interface DeleteTeamDialogProps {
  readonly team: TeamDetail;
  readonly onClose: () => void;
}

/** A dialog that deletes a team after its owner has typed its name, because a deleted team cannot be restored. */
function DeleteTeamDialog({ team: { id, name }, onClose }: DeleteTeamDialogProps) {
  const { t } = useTranslation();
  const [confirmation, setConfirmation] = useState("");
  const deleteTeam = useExitTeam(() => client.teams.remove(id));
  const isConfirmed = confirmation.trim() === name.trim();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("team.deleteTitle", { name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        <Text size="sm">{t("team.deleteText")}</Text>
        <TextInput
          data-autofocus
          label={t("team.typeName", { name })}
          value={confirmation}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => setConfirmation(value)}
        />
        <ActionButton color="red" run={deleteTeam} disabled={!isConfirmed}>
          {t("team.delete")}
        </ActionButton>
      </Stack>
    </Modal>
  );
}

/** Returns a function that ends a membership or a team, then opens the list of teams. */
function useExitTeam(leaveOrDelete: () => Promise<void>): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await leaveOrDelete();
    await navigate({ to: PATHS.teams });
    await refreshTeamsAndInvitations(queryClient);
  };
}
