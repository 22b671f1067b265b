import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconMail } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { CreatedInvitation, Invitation, TeamDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ConfirmDialog } from "../page/confirm-dialog.tsx";
import { CopyableText } from "../page/copyable-text.tsx";
import { List, ListItem } from "../page/list.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { refreshTeamsAndInvitations } from "./team-queries.ts";

/** The open invitations of a team, with buttons to renew or revoke them. */
export function PendingInvitations({ team }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  return (
    <List label={t("team.pending")}>
      {team.invitations.map((invitation) => (
        <PendingInvitationItem key={invitation.id} teamId={team.id} invitation={invitation} />
      ))}
    </List>
  );
}

interface PendingInvitationItemProps {
  readonly teamId: string;
  readonly invitation: Invitation;
}

function PendingInvitationItem({ teamId, invitation }: PendingInvitationItemProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [renewedInvitation, setRenewedInvitation] = useState<CreatedInvitation | null>(null);
  const [isRevoking, setIsRevoking] = useState(false);
  const { id, email, createdAt, expiresAt } = invitation;
  const renew = async () => {
    setRenewedInvitation(await client.teams.invite(teamId, { email }));
    await refreshTeamsAndInvitations(queryClient);
  };
  const revoke = async () => {
    await client.teams.removeInvitation(teamId, id);
    await refreshTeamsAndInvitations(queryClient);
  };
  return (
    <ListItem
      icon={IconMail}
      title={email}
      id={id}
      actions={
        <Group gap="xs" justify="flex-end">
          <ActionButton
            size="xs"
            variant="default"
            run={renew}
            aria-label={t("team.newLinkOf", { email })}
          >
            {t("team.newLink")}
          </ActionButton>
          <Button
            size="xs"
            variant="default"
            onClick={() => setIsRevoking(true)}
            aria-label={t("team.revokeOf", { email })}
          >
            {t("team.revoke")}
          </Button>
        </Group>
      }
    >
      <Text size="sm" c="dimmed">
        {t("team.invitedAt", {
          when: formatTimestamp(createdAt),
          until: formatTimestamp(expiresAt),
        })}
      </Text>
      <NewLinkDialog invitation={renewedInvitation} onClose={() => setRenewedInvitation(null)} />
      <ConfirmDialog
        isOpen={isRevoking}
        title={t("team.revokeTitle", { email })}
        message={t("team.revokeText")}
        actionLabel={t("team.revoke")}
        onConfirm={revoke}
        onClose={() => setIsRevoking(false)}
      />
    </ListItem>
  );
}

interface NewLinkDialogProps {
  readonly invitation: CreatedInvitation | null;
  readonly onClose: () => void;
}

function NewLinkDialog({ invitation, onClose }: NewLinkDialogProps) {
  const { t } = useTranslation();
  const { email, link, mail } = invitation ?? { email: "", link: "", mail: "off" };
  return (
    <Modal
      opened={invitation !== null}
      onClose={onClose}
      title={t("team.newLinkTitle", { email })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        <Text size="sm">{t(`team.newLinkText.${mail}`)}</Text>
        <CopyableText name={t("team.linkFor", { email })} text={link} />
      </Stack>
    </Modal>
  );
}
