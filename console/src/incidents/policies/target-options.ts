import { useQuery } from "@tanstack/react-query";
import type { Device, DeviceGroup, EscalationPolicy, TeamDetail } from "@tocsin/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { devicesQuery } from "../../devices/device-queries.ts";
import { groupsQuery } from "../../devices/groups/group-queries.ts";
import { createTeamQuery } from "../../teams/team-queries.ts";
import { formatTarget } from "./draft.ts";
import { formatTargetName } from "./policy-steps.tsx";

/** A group of targets to choose from, with values in the form of `formatTarget`. */
export interface TargetOptionGroup {
  readonly group: string;
  readonly items: readonly { readonly value: string; readonly label: string }[];
}

/**
 * Returns the targets to choose from for a policy of the account (`teamId` is null) or of a team. For a team, they
 * include the groups and devices of other members that the policy already has.
 */
export function useTargetOptions(
  teamId: string | null,
  policy: EscalationPolicy | null,
): readonly TargetOptionGroup[] {
  const { t } = useTranslation();
  const isAccountPolicy = teamId === null;
  const { data: devices = [] } = useQuery(devicesQuery);
  const { data: groups = [] } = useQuery(groupsQuery);
  const { data: team } = useQuery({ ...createTeamQuery(teamId ?? ""), enabled: !isAccountPolicy });
  const deviceOptions = listOwnDeviceOptions(t, { devices, groups });
  const options = isAccountPolicy
    ? listAccountOptions(t, deviceOptions)
    : listTeamOptions(t, {
        members: team?.members ?? [],
        deviceOptions: [...deviceOptions, listKeptOptions(t, policy)],
      });
  return options.filter(({ items }) => items.length > 0);
}

function listOwnDeviceOptions(
  t: TFunction,
  {
    devices,
    groups,
  }: { readonly devices: readonly Device[]; readonly groups: readonly DeviceGroup[] },
): readonly TargetOptionGroup[] {
  return [
    {
      group: t("policy.options.myGroups"),
      items: groups.map(({ id, name }) => ({ value: `group:${id}`, label: name })),
    },
    {
      group: t("policy.options.oneDevice"),
      items: devices.map(({ id, name }) => ({ value: `device:${id}`, label: name })),
    },
  ];
}

/** Returns the groups and devices of other members that a policy already has. */
function listKeptOptions(t: TFunction, policy: EscalationPolicy | null): TargetOptionGroup {
  const targets = policy?.steps.flatMap((step) => step.targets) ?? [];
  const othersTargets = targets.filter(
    ({ name, ownerName }) => name === null && ownerName !== undefined,
  );
  // A select refuses to show a value twice, and several steps may have the same target.
  const byValue = new Map(othersTargets.map((target) => [formatTarget(target), target]));
  return {
    group: t("policy.options.ofOthers"),
    items: [...byValue].map(([value, target]) => ({ value, label: formatTargetName(t, target) })),
  };
}

function listAccountOptions(
  t: TFunction,
  deviceOptions: readonly TargetOptionGroup[],
): readonly TargetOptionGroup[] {
  return [
    { group: t("policy.options.devices"), items: [{ value: "me", label: t("policy.target.me") }] },
    ...deviceOptions,
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
  {
    members,
    deviceOptions,
  }: {
    readonly members: TeamDetail["members"];
    readonly deviceOptions: readonly TargetOptionGroup[];
  },
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
    ...deviceOptions,
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
