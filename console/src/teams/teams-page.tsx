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
import { EmptyState, Loaded } from "../page/states.tsx";
import { PATHS } from "../paths.ts";
import { NewTeam } from "./new-team.tsx";
import { Received } from "./received.tsx";
import { RoleBadge } from "./role-badge.tsx";
import { teamsQuery } from "./team-queries.ts";

/** The account's teams, and the invitations to others. */
export function TeamsPage() {
  const { t } = useTranslation();
  const [isMaking, setMaking] = useState(false);
  const teams = useQuery(teamsQuery);
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t("team.make")}
    </Button>
  );
  return (
    <Page title={t("team.title")} text={t("team.text")} actions={make}>
      <Received />
      <Loaded query={teams}>
        {(items) =>
          items.length === 0 ? (
            <Card>
              <EmptyState icon={IconUsersGroup} title={t("team.empty")} text={t("team.emptyText")}>
                {make}
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
      </Loaded>
      <NewTeam isOpen={isMaking} onClose={() => setMaking(false)} />
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
        {t(`team.may.${role}`)}
      </Text>
    </ListItem>
  );
}
