import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { devicesQuery } from "../../devices/device-queries.ts";
import { groupsQuery } from "../../devices/groups/group-queries.ts";
import { teamsQuery } from "../../teams/team-queries.ts";

export interface AddresseeSelectProps {
  /** As a draft says it. */
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (to: string) => void;
}

/** Chooses whom a notification is for, among what the account has. */
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
  // What was chosen may be gone since: that is told, and never widened to everybody.
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

/** Members who manage nothing hold no team keys, and send to no team. */
function isMine({ role }: { readonly role: string }): boolean {
  return role !== "member";
}
