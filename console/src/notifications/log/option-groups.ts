import { useQueries, useQuery } from "@tanstack/react-query";
import type { ApiKey, Team } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { devicesQuery, unregisteredDevicesQuery } from "../../devices/device-queries.ts";
import { allKeysQuery } from "../../keys/key-queries.ts";
import { createTeamDevicesQuery, teamsQuery } from "../../teams/team-queries.ts";

/** The options of a select field that share a heading. */
export interface OptionGroup {
  readonly heading: string;
  readonly items: readonly { readonly value: string; readonly label: string }[];
}

/** Returns the keys for the log's filter: the account's keys, then the keys of each managed team. */
export function useKeyOptions(): readonly OptionGroup[] {
  const { t } = useTranslation();
  const { data: keys = [] } = useQuery(allKeysQuery);
  const teams = useManagedTeams();
  const toOption = ({ id, label, hint }: ApiKey) => ({
    value: id,
    label: label === null || label === "" ? t("log.byKey", { hint }) : label,
  });
  const ownOptions = keys.filter(({ kind }) => kind === "account").map(toOption);
  return [
    { heading: t("log.ownKeys"), items: [...ownOptions, { value: "none", label: t("log.noKey") }] },
    ...teams.map(({ id, name }) => ({
      heading: t("log.toTeam", { name }),
      items: keys.filter(({ teamId }) => teamId === id).map(toOption),
    })),
  ];
}

/** Returns the devices for the log's filter: the account's devices, then the devices of each managed team's members. */
export function useDeviceOptions(): readonly OptionGroup[] {
  const { t } = useTranslation();
  const { data: devices = [] } = useQuery(devicesQuery);
  const { data: unregisteredDevices = [] } = useQuery(unregisteredDevicesQuery);
  const teams = useManagedTeams();
  const teamDeviceLists = useQueries({
    queries: teams.map(({ id }) => createTeamDevicesQuery(id)),
  });
  const ownDevices = [...devices, ...unregisteredDevices];
  // Each device is listed once, although its owner may be this account or a member of several teams.
  const listedIds = new Set(ownDevices.map(({ id }) => id));
  const teamGroups = teams.map(({ name }, index) => {
    const otherDevices = (teamDeviceLists[index]?.data ?? []).filter(
      ({ id }) => !listedIds.has(id),
    );
    for (const { id } of otherDevices) listedIds.add(id);
    const items = otherDevices.map(({ id, name: device, owner }) => {
      return { value: id, label: t("log.deviceAndOwner", { device, name: owner.name }) };
    });
    return { heading: t("log.toTeam", { name }), items };
  });
  const items = ownDevices.map(({ id, name }) => ({ value: id, label: name }));
  return [{ heading: t("log.toAccount"), items }, ...teamGroups];
}

function useManagedTeams(): readonly Team[] {
  const { data: teams = [] } = useQuery(teamsQuery);
  return teams.filter(({ role }) => role !== "member");
}
