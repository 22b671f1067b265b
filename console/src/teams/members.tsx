import { Menu, Text } from "@mantine/core";
import { IconUser, IconUserMinus } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { TEAM_ROLES, type Member, type TeamDetail, type TeamRole } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionsMenu } from "../page/actions-menu.tsx";
import { Confirm } from "../page/confirm.tsx";
import { List, ListItem } from "../page/list.tsx";
import { momentOf } from "../page/moment.tsx";
import { fail } from "../page/toasts.ts";
import { RoleBadge } from "./role-badge.tsx";
import { mayChange, ownersOf, rolesFor } from "./standing.ts";
import { refreshTeams } from "./team-queries.ts";

/** Members of a team, and their roles. */
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
      actions={!isMe && mayChange(team.role, role) && <MemberMenu team={team} member={member} />}
    >
      <Text size="sm" c="dimmed">
        {email}
      </Text>
      <Text size="sm" c={deviceCount === 0 ? "var(--mantine-color-error)" : "dimmed"}>
        {deviceCount === 0 ? t("team.noDevice") : t("team.devices", { count: deviceCount })}
      </Text>
      {deviceLeftAt !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {t("team.deviceLeft", { when: momentOf(deviceLeftAt) })}
        </Text>
      )}
    </ListItem>
  );
}

function MemberMenu({ team, member }: MemberProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const { accountId: memberId, name, role } = member;
  const change = (to: TeamRole) => {
    void client.teams
      .updateMember(team.id, memberId, { role: to })
      .then(() => refreshTeams(queryClient), fail);
  };
  const remove = async () => {
    await client.teams.removeMember(team.id, memberId);
    await refreshTeams(queryClient);
  };
  const isLastOwner = role === "owner" && ownersOf(team) === 1;
  return (
    <>
      <ActionsMenu label={t("team.actions", { name })}>
        {TEAM_ROLES.filter((to) => to !== role && rolesFor(team.role).includes(to)).map((to) => (
          <Menu.Item key={to} disabled={isLastOwner} onClick={() => change(to)}>
            {t(`team.makeRole.${to}`)}
          </Menu.Item>
        ))}
        <Menu.Item
          disabled={isLastOwner}
          c="var(--mantine-color-error)"
          leftSection={<IconUserMinus size={16} aria-hidden />}
          onClick={() => setRemoving(true)}
        >
          {t("team.removeMember")}
        </Menu.Item>
      </ActionsMenu>
      <Confirm
        isOpen={isRemoving}
        title={t("team.removeMemberTitle", { name, team: team.name })}
        text={t("team.removeMemberText", { name, team: team.name })}
        action={t("team.removeMember")}
        run={remove}
        onClose={() => setRemoving(false)}
      />
    </>
  );
}
