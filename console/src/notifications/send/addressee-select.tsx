import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { devicesQuery } from "../../devices/device-queries.ts";
import { groupsQuery } from "../../devices/groups/group-queries.ts";
import { teamsQuery } from "../../teams/team-queries.ts";

interface AddresseeSelectProps {
  /** The addressee, in the format of a draft's `to`. */
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (to: string) => void;
}

/** A select for the addressee of a notification: all devices of the account, or a group, a team or a device. */
export function AddresseeSelect({ value, error, onChange }: AddresseeSelectProps) {
  const { t } = useTranslation();
  const { data: devices = [], isSuccess: hasDevices } = useQuery(devicesQuery);
  const { data: groups = [], isSuccess: hasGroups } = useQuery(groupsQuery);
  const { data: teams = [], isSuccess: hasTeams } = useQuery(teamsQuery);
  const options = [
    {
      group: t("send.ownDevices"),
      items: [{ value: "account", label: t("send.allDevices", { count: devices.length }) }],
    },
    { group: t("send.groups"), items: groups.map(toOption("group")) },
    { group: t("send.teams"), items: teams.filter(isManaged).map(toOption("team")) },
    { group: t("send.oneDevice"), items: devices.map(toOption("device")) },
  ].filter(({ items }) => items.length > 0);
  // The selected addressee may no longer exist. The field reports it and does not fall back to all devices.
  const isListed = options.some(({ items }) => items.some((item) => item.value === value));
  const isGone = !isListed && hasDevices && hasGroups && hasTeams;
  return (
    <Select
      label={t("send.to")}
      description={value.startsWith("team:") ? t("send.teamHint") : undefined}
      allowDeselect={false}
      searchable={options.length > 1}
      nothingFoundMessage={t("shell.searchEmpty")}
      data={options}
      value={isListed ? value : null}
      error={isGone ? t("send.gone") : error}
      onChange={(selected) => onChange(selected ?? "account")}
    />
  );
}

function toOption(kind: "group" | "team" | "device") {
  return (target: { readonly id: string; readonly name: string }) => ({
    value: `${kind}:${target.id}`,
    label: target.name,
  });
}

/** Returns whether the account manages the team. Plain members have no team keys and cannot send to the team. */
function isManaged({ role }: { readonly role: string }): boolean {
  return role !== "member";
}
