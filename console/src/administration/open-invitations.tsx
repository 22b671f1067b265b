import { Text, Title } from "@mantine/core";
import { IconMail } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { List, ListItem } from "../page/list.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { invitationsQuery } from "./administration-queries.ts";

/** The server's open invitations; renders nothing if there are none. */
export function OpenInvitations() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { data: invitations = [] } = useQuery(invitationsQuery);
  if (invitations.length === 0) return null;
  const remove = async (id: string) => {
    await client.admin.invitations.remove(id);
    await queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey });
  };
  return (
    <>
      <Title order={2} size="h5">
        {t("admin.invited")}
      </Title>
      <List label={t("admin.invited")}>
        {invitations.map(({ id, email, expiresAt }) => {
          const invitee = email ?? t("admin.anyoneWithLink");
          return (
            <ListItem
              key={id}
              icon={IconMail}
              title={invitee}
              actions={
                <ActionButton
                  variant="default"
                  aria-label={t("admin.revokeInvitationOf", { who: invitee })}
                  run={() => remove(id)}
                >
                  {t("admin.revokeInvitation")}
                </ActionButton>
              }
            >
              <Text size="sm" c="dimmed">
                {t("admin.until", { when: formatTimestamp(expiresAt) })}
              </Text>
            </ListItem>
          );
        })}
      </List>
    </>
  );
}
