import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TeamDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Card } from "../page/card.tsx";
import { Confirm } from "../page/confirm.tsx";
import { PATHS } from "../paths.ts";
import { ownersOf } from "./standing.ts";
import { refreshTeams } from "./team-queries.ts";

/** Actions that leave a team, and that delete it. */
export function TeamEnd({ team }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<"leave" | "delete" | null>(null);
  const leaveTeam = useEnding(() => client.teams.leave(team.id));
  const isOwner = team.role === "owner";
  const isLastOwner = isOwner && ownersOf(team) === 1;
  const close = () => setAsked(null);
  return (
    <Card title={t(isOwner ? "team.end" : "team.leave")}>
      <Text size="sm" c="dimmed">
        {isLastOwner ? t("team.lastOwner") : t("team.leaveText", { name: team.name })}
      </Text>
      <Group gap="xs">
        {!isLastOwner && (
          <Button variant="default" onClick={() => setAsked("leave")}>
            {t("team.leave")}
          </Button>
        )}
        {isOwner && (
          <Button variant="default" onClick={() => setAsked("delete")}>
            {t("team.delete")}
          </Button>
        )}
      </Group>
      <Confirm
        isOpen={asked === "leave"}
        title={t("team.leaveTitle", { name: team.name })}
        text={t("team.leaveText", { name: team.name })}
        action={t("team.leave")}
        run={leaveTeam}
        onClose={close}
      />
      {asked === "delete" && <DeleteTeam team={team} onClose={close} />}
    </Card>
  );
}

interface DeleteTeamProps {
  readonly team: TeamDetail;
  readonly onClose: () => void;
}

/** Asks for the team's name: a deleted team cannot be restored. */
function DeleteTeam({ team: { id, name }, onClose }: DeleteTeamProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const deleteTeam = useEnding(() => client.teams.remove(id));
  const isSure = typed.trim() === name.trim();
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
          value={typed}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => setTyped(value)}
        />
        <ActionButton color="red" run={deleteTeam} disabled={!isSure}>
          {t("team.delete")}
        </ActionButton>
      </Stack>
    </Modal>
  );
}

/** Returns a function that ends a membership or a team and goes back to the other teams. */
function useEnding(end: () => Promise<void>): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await end();
    await navigate({ to: PATHS.teams });
    await refreshTeams(queryClient);
  };
}
