import { Button, Text } from "@mantine/core";
import { IconPlus, IconUsers, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { Team } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../page/button-link.tsx";
import { Card } from "../page/card.tsx";
import { List, ListItem } from "../page/list.tsx";
import { Page } from "../page/page.tsx";
import { EmptyState, QueryContent } from "../page/query-states.tsx";
import { PATHS } from "../paths.ts";
import { CreateTeamDialog } from "./create-team-dialog.tsx";
import { ReceivedInvitations } from "./received-invitations.tsx";
import { RoleBadge } from "./role-badge.tsx";
import { teamsQuery } from "./team-queries.ts";

/** The account's teams and its invitations to other teams. */
export function TeamsPage() {
  const { t } = useTranslation();
  const [isCreating, setIsCreating] = useState(false);
  const teams = useQuery(teamsQuery);
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      {t("team.newTeam")}
    </Button>
  );
  return (
    <Page title={t("team.title")} text={t("team.text")} actions={createButton}>
      <ReceivedInvitations />
      <QueryContent query={teams}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconUsersGroup} title={t("team.empty")} text={t("team.emptyText")}>
                {createButton}
              </EmptyState>
            </Card>
          ) : (
            <List label={t("team.list")}>
              {items.map((team) => (
                <TeamItem key={team.id} team={team} />
              ))}
            </List>
          )
        }
      </QueryContent>
      <CreateTeamDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  );
}

function TeamItem({ team: { id, name, role } }: { readonly team: Team }) {
  const { t } = useTranslation();
  return (
    <ListItem
      icon={IconUsers}
      title={name}
      id={id}
      badge={<RoleBadge role={role} />}
      actions={
        <ButtonLink
          to={PATHS.team}
          params={{ id }}
          size="xs"
          variant="default"
          aria-label={t("team.openOf", { name })}
        >
          {t("team.open")}
        </ButtonLink>
      }
    >
      <Text size="sm" c="dimmed">
        {t(`team.permissions.${role}`)}
      </Text>
    </ListItem>
  );
}
