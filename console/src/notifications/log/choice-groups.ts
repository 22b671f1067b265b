import { useQueries, useQuery } from "@tanstack/react-query";
import type { ApiKey, Team } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { devicesQuery, leftDevicesQuery } from "../../devices/device-queries.ts";
import { allKeysQuery } from "../../keys/key-queries.ts";
import { teamDevicesQuery, teamsQuery } from "../../teams/team-queries.ts";

/** Choices under a heading. */
export interface ChoiceGroup {
  readonly group: string;
  readonly items: readonly { readonly value: string; readonly label: string }[];
}

/** Returns the keys to filter the log by: the account's own, then those of each team that it manages. */
export function useKeyChoices(): readonly ChoiceGroup[] {
  const { t } = useTranslation();
  const { data: keys = [] } = useQuery(allKeysQuery);
  const teams = useManagedTeams();
  const itemOf = ({ id, label, hint }: ApiKey) => ({
    value: id,
    label: label === null || label === "" ? t("log.byKey", { hint }) : label,
  });
  const own = keys.filter(({ kind }) => kind === "account").map(itemOf);
  return [
    { group: t("log.ownKeys"), items: [...own, { value: "none", label: t("log.noKey") }] },
    ...teams.map(({ id, name }) => ({
      group: t("log.toTeam", { name }),
      items: keys.filter(({ teamId }) => teamId === id).map(itemOf),
    })),
  ];
}

/**
 * Returns the devices to filter the log by: the account's own, then those of the members of each team that it manages.
 */
export function useDeviceChoices(): readonly ChoiceGroup[] {
  const { t } = useTranslation();
  const { data: devices = [] } = useQuery(devicesQuery);
  const { data: left = [] } = useQuery(leftDevicesQuery);
  const teams = useManagedTeams();
  const lists = useQueries({ queries: teams.map(({ id }) => teamDevicesQuery(id)) });
  const own = [...devices, ...left];
  // Each device is listed once: its owner may be in several teams, or be this account.
  const seen = new Set(own.map(({ id }) => id));
  const ofTeams = teams.map(({ name }, index) => {
    const others = (lists[index]?.data ?? []).filter(({ id }) => !seen.has(id));
    for (const { id } of others) seen.add(id);
    const items = others.map(({ id, name: device, owner }) => {
      return { value: id, label: t("log.deviceAndOwner", { device, name: owner.name }) };
    });
    return { group: t("log.toTeam", { name }), items };
  });
  const items = own.map(({ id, name }) => ({ value: id, label: name }));
  return [{ group: t("log.toAccount"), items }, ...ofTeams];
}

function useManagedTeams(): readonly Team[] {
  const { data: teams = [] } = useQuery(teamsQuery);
  return teams.filter(({ role }) => role !== "member");
}
