import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { devicesQuery } from "../../devices/device-queries.ts";
import { groupsQuery } from "../../devices/groups/group-queries.ts";
import { teamsQuery } from "../../teams/team-queries.ts";

export interface AddresseeSelectProps {
  /** Audience in the form of a draft's `to`. */
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (to: string) => void;
}

/** Chooses the audience of a notification from the account's devices, groups and teams. */
export function AddresseeSelect({ value, error, onChange }: AddresseeSelectProps) {
  const { t } = useTranslation();
  const { data: devices = [], isSuccess: hasDevices } = useQuery(devicesQuery);
  const { data: groups = [], isSuccess: hasGroups } = useQuery(groupsQuery);
  const { data: teams = [], isSuccess: hasTeams } = useQuery(teamsQuery);
  const choices = [
    {
      group: t("send.mine"),
      items: [{ value: "account", label: t("send.allDevices", { count: devices.length }) }],
    },
    { group: t("send.groups"), items: groups.map(named("group")) },
    { group: t("send.teams"), items: teams.filter(isMine).map(named("team")) },
    { group: t("send.oneDevice"), items: devices.map(named("device")) },
  ].filter(({ items }) => items.length > 0);
  // The chosen audience may be gone since: the field says so, and never widens it to everybody.
  const isKnown = choices.some(({ items }) => items.some((item) => item.value === value));
  const isGone = !isKnown && hasDevices && hasGroups && hasTeams;
  return (
    <Select
      label={t("send.to")}
      description={value.startsWith("team:") ? t("send.teamHint") : undefined}
      allowDeselect={false}
      searchable={choices.length > 1}
      nothingFoundMessage={t("shell.searchEmpty")}
      data={choices}
      value={isKnown ? value : null}
      error={isGone ? t("send.gone") : error}
      onChange={(chosen) => onChange(chosen ?? "account")}
    />
  );
}

function named(kind: "group" | "team" | "device") {
  return (one: { readonly id: string; readonly name: string }) => ({
    value: `${kind}:${one.id}`,
    label: one.name,
  });
}

/** Plain members manage nothing, have no team keys, and send to no team. */
function isMine({ role }: { readonly role: string }): boolean {
  return role !== "member";
}
