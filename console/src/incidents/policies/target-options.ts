import { useQuery } from "@tanstack/react-query";
import type { Device, DeviceGroup, TeamDetail } from "@tocsin/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { devicesQuery } from "../../devices/device-queries.ts";
import { groupsQuery } from "../../devices/groups/group-queries.ts";
import { createTeamQuery } from "../../teams/team-queries.ts";

/** A group of targets to choose from, with values in the form of `formatTarget`. */
export interface TargetOptionGroup {
  readonly group: string;
  readonly items: readonly { readonly value: string; readonly label: string }[];
}

/** Returns the targets that a policy of the account (`teamId` is null) or of a team can have. */
export function useTargetOptions(teamId: string | null): readonly TargetOptionGroup[] {
  const { t } = useTranslation();
  const isOwn = teamId === null;
  const { data: devices = [] } = useQuery({ ...devicesQuery, enabled: isOwn });
  const { data: groups = [] } = useQuery({ ...groupsQuery, enabled: isOwn });
  const { data: team } = useQuery({ ...createTeamQuery(teamId ?? ""), enabled: !isOwn });
  const options = isOwn
    ? listOwnOptions(t, { devices, groups })
    : listTeamOptions(t, team?.members ?? []);
  return options.filter(({ items }) => items.length > 0);
}

function listOwnOptions(
  t: TFunction,
  {
    devices,
    groups,
  }: { readonly devices: readonly Device[]; readonly groups: readonly DeviceGroup[] },
): readonly TargetOptionGroup[] {
  return [
    { group: t("policy.options.devices"), items: [{ value: "me", label: t("policy.target.me") }] },
    {
      group: t("shell.groups"),
      items: groups.map(({ id, name }) => ({ value: `group:${id}`, label: name })),
    },
    {
      group: t("policy.options.oneDevice"),
      items: devices.map(({ id, name }) => ({ value: `device:${id}`, label: name })),
    },
    {
      group: t("policy.options.other"),
      items: [
        { value: "mail", label: t("policy.target.ownMail") },
        { value: "callback", label: t("policy.target.callback") },
      ],
    },
  ];
}

function listTeamOptions(
  t: TFunction,
  members: TeamDetail["members"],
): readonly TargetOptionGroup[] {
  return [
    {
      group: t("policy.options.devices"),
      items: [{ value: "team", label: t("policy.target.team") }],
    },
    {
      group: t("policy.options.members"),
      items: members.map(({ accountId, name }) => ({ value: `member:${accountId}`, label: name })),
    },
    {
      group: t("policy.options.mail"),
      items: members.map(({ accountId, name }) => ({
        value: `mail:${accountId}`,
        label: t("policy.target.mail", { name }),
      })),
    },
    {
      group: t("policy.options.other"),
      items: [{ value: "callback", label: t("policy.target.callback") }],
    },
  ];
}
