import { Button, Group } from "@mantine/core";
import { IconArrowLeft, IconSend, IconUserOff, IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { TeamDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../page/button-link.tsx";
import { Card } from "../page/card.tsx";
import { Page } from "../page/page.tsx";
import { EmptyState, QueryContent } from "../page/query-states.tsx";
import { PATHS } from "../paths.ts";
import { InvitePeopleDialog } from "./invite-people-dialog.tsx";
import { Members } from "./members.tsx";
import { PendingInvitations } from "./pending-invitations.tsx";
import { RoleBadge } from "./role-badge.tsx";
import { LeaveOrDeleteTeam } from "./leave-or-delete-team.tsx";
import { TeamKeys } from "./team-keys.tsx";
import { TeamName } from "./team-name.tsx";
import { createTeamQuery } from "./team-queries.ts";

/** The page of a team: its members, its open invitations and its keys. */
export function TeamPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false });
  const teamQuery = useQuery(createTeamQuery(id));
  const team = teamQuery.data ?? null;
  return (
    <Page
      title={team?.name ?? t("team.team")}
      actions={team === null ? <BackLink /> : <TeamActions team={team} />}
    >
      <QueryContent query={teamQuery}>
        {(loadedTeam) =>
          loadedTeam === null ? (
            <Card>
              <EmptyState icon={IconUserOff} title={t("team.gone")} text={t("team.goneText")} />
            </Card>
          ) : (
            <TeamContent team={loadedTeam} />
          )
        }
      </QueryContent>
    </Page>
  );
}

function BackLink() {
  const { t } = useTranslation();
  return (
    <ButtonLink
      to={PATHS.teams}
      variant="default"
      size="sm"
      leftSection={<IconArrowLeft size={16} aria-hidden />}
    >
      {t("team.title")}
    </ButtonLink>
  );
}

function TeamActions({ team: { id, role } }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  return (
    <Group gap="xs">
      <RoleBadge role={role} />
      <BackLink />
      {role !== "member" && (
        <ButtonLink
          to={PATHS.send}
          search={{ team: id }}
          size="sm"
          leftSection={<IconSend size={16} aria-hidden />}
        >
          {t("team.send")}
        </ButtonLink>
      )}
    </Group>
  );
}

function TeamContent({ team }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  const [isInviting, setIsInviting] = useState(false);
  const isManager = team.role !== "member";
  const inviteButton = isManager && (
    <Button
      size="xs"
      leftSection={<IconUserPlus size={16} aria-hidden />}
      onClick={() => setIsInviting(true)}
    >
      {t("team.invite")}
    </Button>
  );
  return (
    <>
      <Card title={t("team.members")} actions={inviteButton}>
        <Members team={team} />
      </Card>
      {isManager && team.invitations.length > 0 && (
        <Card title={t("team.pending")}>
          <PendingInvitations team={team} />
        </Card>
      )}
      {isManager && <TeamKeys team={team} />}
      {isManager && <TeamName team={team} />}
      <LeaveOrDeleteTeam team={team} />
      {isInviting && <InvitePeopleDialog team={team} onClose={() => setIsInviting(false)} />}
    </>
  );
}
