import { Menu, Text } from "@mantine/core";
import { IconUser, IconUserMinus } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { TEAM_ROLES, type Member, type TeamDetail, type TeamRole } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionsMenu } from "../page/actions-menu.tsx";
import { ConfirmDialog } from "../page/confirm-dialog.tsx";
import { List, ListItem } from "../page/list.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { showError } from "../page/toasts.ts";
import { RoleBadge } from "./role-badge.tsx";
import { canChangeMember, countOwners, getAssignableRoles } from "./roles.ts";
import { refreshTeamsAndInvitations } from "./team-queries.ts";

/** The members of a team and their roles. */
export function Members({ team }: { readonly team: TeamDetail }) {
  const { t } = useTranslation();
  return (
    <List label={t("team.members")}>
      {team.members.map((member) => (
        <MemberItem key={member.accountId} team={team} member={member} />
      ))}
    </List>
  );
}

interface MemberProps {
  readonly team: TeamDetail;
  readonly member: Member;
}

function MemberItem({ team, member }: MemberProps) {
  const { t } = useTranslation();
  const { accountId: memberId, isMe, name, email, role, deviceCount, deviceLeftAt } = member;
  return (
    <ListItem
      icon={IconUser}
      title={name}
      id={memberId}
      badge={
        <>
          <RoleBadge role={role} />
          {isMe && (
            <Text size="xs" c="dimmed">
              {t("team.you")}
            </Text>
          )}
        </>
      }
      actions={
        !isMe && canChangeMember(team.role, role) && <MemberMenu team={team} member={member} />
      }
    >
      <Text size="sm" c="dimmed">
        {email}
      </Text>
      <Text size="sm" c={deviceCount === 0 ? "var(--mantine-color-error)" : "dimmed"}>
        {deviceCount === 0 ? t("team.noDevice") : t("team.devices", { count: deviceCount })}
      </Text>
      {deviceLeftAt !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {t("team.deviceLeft", { when: formatTimestamp(deviceLeftAt) })}
        </Text>
      )}
    </ListItem>
  );
}

function MemberMenu({ team, member }: MemberProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isRemoving, setIsRemoving] = useState(false);
  const { accountId: memberId, name, role } = member;
  const changeRole = (newRole: TeamRole) => {
    void client.teams
      .updateMember(team.id, memberId, { role: newRole })
      .then(() => refreshTeamsAndInvitations(queryClient), showError);
  };
  const remove = async () => {
    await client.teams.removeMember(team.id, memberId);
    await refreshTeamsAndInvitations(queryClient);
  };
  const isLastOwner = role === "owner" && countOwners(team) === 1;
  return (
    <>
      <ActionsMenu label={t("team.actions", { name })}>
        {TEAM_ROLES.filter(
          (newRole) => newRole !== role && getAssignableRoles(team.role).includes(newRole),
        ).map((newRole) => (
          <Menu.Item key={newRole} disabled={isLastOwner} onClick={() => changeRole(newRole)}>
            {t(`team.makeRole.${newRole}`)}
          </Menu.Item>
        ))}
        <Menu.Item
          disabled={isLastOwner}
          c="var(--mantine-color-error)"
          leftSection={<IconUserMinus size={16} aria-hidden />}
          onClick={() => setIsRemoving(true)}
        >
          {t("team.removeMember")}
        </Menu.Item>
      </ActionsMenu>
      <ConfirmDialog
        isOpen={isRemoving}
        title={t("team.removeMemberTitle", { name, team: team.name })}
        message={t("team.removeMemberText", { name, team: team.name })}
        actionLabel={t("team.removeMember")}
        onConfirm={remove}
        onClose={() => setIsRemoving(false)}
      />
    </>
  );
}
