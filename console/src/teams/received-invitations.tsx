import { Text } from "@mantine/core";
import { IconMailOpened } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReceivedInvitation } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Card } from "../page/card.tsx";
import { List, ListItem } from "../page/list.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { showToast } from "../page/toasts.ts";
import { receivedInvitationsQuery, refreshTeamsAndInvitations } from "./team-queries.ts";

/** The invitations that the account can accept or decline; renders nothing if there are none. */
export function ReceivedInvitations() {
  const { t } = useTranslation();
  const { data: invitations = [] } = useQuery(receivedInvitationsQuery);
  if (invitations.length === 0) return null;
  return (
    <Card title={t("team.received")}>
      <List label={t("team.received")}>
        {invitations.map((invitation) => (
          <ReceivedInvitationItem key={invitation.id} invitation={invitation} />
        ))}
      </List>
    </Card>
  );
}

function ReceivedInvitationItem({ invitation }: { readonly invitation: ReceivedInvitation }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { id, team, invitedBy, expiresAt } = invitation;
  const accept = async () => {
    await client.invitations.accept(id);
    await refreshTeamsAndInvitations(queryClient);
    showToast(t("invitation.accepted", { team: team.name }));
  };
  const decline = async () => {
    await client.invitations.decline(id);
    await refreshTeamsAndInvitations(queryClient);
  };
  return (
    <ListItem
      icon={IconMailOpened}
      title={team.name}
      id={id}
      actions={
        <>
          <ActionButton size="xs" run={accept}>
            {t("team.accept")}
          </ActionButton>
          <ActionButton size="xs" variant="default" run={decline}>
            {t("team.decline")}
          </ActionButton>
        </>
      }
    >
      <Text size="sm" c="dimmed">
        {t("team.invitedBy", { name: invitedBy.name, when: formatTimestamp(expiresAt) })}
      </Text>
    </ListItem>
  );
}
