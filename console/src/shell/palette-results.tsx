import { useDebouncedValue } from "@mantine/hooks";
import type { SpotlightActionData, SpotlightActionGroupData } from "@mantine/spotlight";
import {
  IconBell,
  IconDevices,
  IconHash,
  IconSearch,
  IconStack2,
  IconStairsUp,
  IconUser,
  IconUsers,
} from "@tabler/icons-react";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { createAccountsQuery } from "../administration/administration-queries.ts";
import { client } from "../client.ts";
import { devicesQuery } from "../devices/device-queries.ts";
import { groupsQuery } from "../devices/groups/group-queries.ts";
import { policiesQuery } from "../incidents/policies/policy-queries.ts";
import { toSearchText } from "../notifications/feed/feed-filter.ts";
import { channelsQuery } from "../notifications/feed/feed-queries.ts";
import { getDisplayTitle } from "../notifications/feed/display-title.ts";
import { formatTimestamp } from "../page/timestamp.tsx";
import { PATHS } from "../paths.ts";
import { createTeamQuery, teamsQuery } from "../teams/team-queries.ts";
import { CommandIcon } from "./palette-commands.tsx";
import { containsWords } from "./contains-words.ts";

/** Maximum number of results per kind. More search words find the others. */
const RESULTS_MAX = 5;
/** Maximum number of teams whose members are searched. Each team needs a request. */
const TEAMS_MAX = 20;
/** Pause in typing before the search runs. */
const DEBOUNCE_MS = 200;

/** The results of a palette search. */
export interface SearchResults {
  readonly groups: readonly SpotlightActionGroupData[];
  /** Whether the server has not responded yet. */
  readonly isPending: boolean;
}

/** Returns the notifications, channels, devices, groups, teams, policies and people that match all words of a query. */
export function useSearchResults(query: string): SearchResults {
  const { t } = useTranslation();
  const searchText = toSearchText(query);
  const [debouncedQuery] = useDebouncedValue(searchText, DEBOUNCE_MS);
  const notifications = useNotifications(debouncedQuery);
  const groups = [
    { group: t("shell.feed"), actions: notifications.actions },
    { group: t("shell.searchChannels"), actions: useChannels(debouncedQuery) },
    { group: t("shell.devices"), actions: useDevices(debouncedQuery) },
    { group: t("shell.groups"), actions: useGroups(debouncedQuery) },
    { group: t("shell.teams"), actions: useTeams(debouncedQuery) },
    { group: t("shell.policies"), actions: usePolicies(debouncedQuery) },
    { group: t("shell.searchPeople"), actions: usePeople(debouncedQuery) },
  ];
  if (searchText === "") return { groups: [], isPending: false };
  return {
    groups: groups.filter(({ actions }) => actions.length > 0),
    isPending: searchText !== debouncedQuery || notifications.isPending,
  };
}

function useNotifications(query: string) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data, isPending, isPlaceholderData } = useQuery({
    queryKey: ["palette", query],
    queryFn: ({ signal }) => client.feed.list({ q: query, limit: RESULTS_MAX }, { signal }),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
  const results: SpotlightActionData[] = (data?.items ?? []).map((item) => ({
    id: `notification ${item.id}`,
    label: getDisplayTitle(item),
    description: `${item.channel} · ${formatTimestamp(item.createdAt)}`,
    leftSection: <CommandIcon icon={IconBell} />,
    onClick: () => void navigate({ to: PATHS.notification, params: { id: item.id } }),
  }));
  const showAll = {
    id: "notifications",
    label: t("shell.searchAll", { q: query }),
    leftSection: <CommandIcon icon={IconSearch} />,
    onClick: () => void navigate({ to: PATHS.feed, search: { q: query } }),
  };
  const hasMore = data !== undefined && data.nextCursor !== null;
  return {
    actions: hasMore ? [...results, showAll] : results,
    isPending: query !== "" && (isPending || isPlaceholderData),
  };
}

function useChannels(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery(channelsQuery);
  return data
    .filter(({ name }) => containsWords(name, query))
    .slice(0, RESULTS_MAX)
    .map(({ name }) => ({
      id: `channel ${name}`,
      label: name,
      leftSection: <CommandIcon icon={IconHash} />,
      onClick: () => void navigate({ to: PATHS.feed, search: { channel: name } }),
    }));
}

function useDevices(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery(devicesQuery);
  return data
    .filter(({ name }) => containsWords(name, query))
    .slice(0, RESULTS_MAX)
    .map(({ id, name }) => ({
      id: `device ${id}`,
      label: name,
      leftSection: <CommandIcon icon={IconDevices} />,
      onClick: () => void navigate({ to: PATHS.devices }),
    }));
}

function useGroups(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery({ ...groupsQuery, enabled: query !== "" });
  return data
    .filter(({ name }) => containsWords(name, query))
    .slice(0, RESULTS_MAX)
    .map(({ id, name }) => ({
      id: `group ${id}`,
      label: name,
      leftSection: <CommandIcon icon={IconStack2} />,
      onClick: () => void navigate({ to: PATHS.groups }),
    }));
}

function useTeams(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery(teamsQuery);
  return data
    .filter(({ name }) => containsWords(name, query))
    .slice(0, RESULTS_MAX)
    .map(({ id, name }) => ({
      id: `team ${id}`,
      label: name,
      leftSection: <CommandIcon icon={IconUsers} />,
      onClick: () => void navigate({ to: PATHS.team, params: { id } }),
    }));
}

function usePolicies(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery({ ...policiesQuery, enabled: query !== "" });
  return data
    .filter(({ name }) => containsWords(name, query))
    .slice(0, RESULTS_MAX)
    .map(({ id, name }) => ({
      id: `policy ${id}`,
      label: name,
      leftSection: <CommandIcon icon={IconStairsUp} />,
      onClick: () => void navigate({ to: PATHS.policies }),
    }));
}

/** Returns the matching members of the account's teams and, for administrators, of the whole server. */
function usePeople(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { isAdmin } = useAccount();
  const { data: teams = [] } = useQuery(teamsQuery);
  const teamDetails = useQueries({
    queries: teams
      .slice(0, TEAMS_MAX)
      .map(({ id }) => ({ ...createTeamQuery(id), enabled: query !== "" })),
  });
  const accounts = useQuery({ ...createAccountsQuery(query), enabled: isAdmin && query !== "" });
  const members = teamDetails.flatMap(({ data: team }) =>
    (team?.members ?? []).map(({ accountId, name, email }) => ({
      id: `member ${accountId}`,
      label: name,
      description: `${email} · ${team?.name ?? ""}`,
      onClick: () => void navigate({ to: PATHS.team, params: { id: team?.id ?? "" } }),
    })),
  );
  const otherAccounts = (accounts.data?.items ?? []).map(({ id, name, email }) => ({
    id: `account ${id}`,
    label: name,
    description: email,
    onClick: () => void navigate({ to: PATHS.accounts }),
  }));
  return [...members, ...otherAccounts]
    .filter(({ label, description }) => containsWords(`${label} ${description}`, query))
    .slice(0, RESULTS_MAX)
    .map((person) => Object.assign(person, { leftSection: <CommandIcon icon={IconUser} /> }));
}
