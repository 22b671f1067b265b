import { useDebouncedValue } from "@mantine/hooks";
import type { SpotlightActionData, SpotlightActionGroupData } from "@mantine/spotlight";
import {
  IconBell,
  IconDevices,
  IconHash,
  IconSearch,
  IconStack2,
  IconUser,
  IconUsers,
} from "@tabler/icons-react";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { accountsQuery } from "../administration/administration-queries.ts";
import { client } from "../client.ts";
import { devicesQuery } from "../devices/device-queries.ts";
import { groupsQuery } from "../devices/groups/group-queries.ts";
import { toSearchText } from "../notifications/feed/feed-filter.ts";
import { channelsQuery } from "../notifications/feed/feed-queries.ts";
import { titleOf } from "../notifications/feed/title.ts";
import { formatTimestamp } from "../page/timestamp.tsx";
import { PATHS } from "../paths.ts";
import { teamQuery, teamsQuery } from "../teams/team-queries.ts";
import { CommandIcon } from "./palette-commands.tsx";
import { matchesWords } from "./match-words.ts";

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

/** Returns the notifications, channels, devices, groups, teams and people that match all words of a query. */
export function useSearchResults(query: string): SearchResults {
  const { t } = useTranslation();
  const searchText = toSearchText(query);
  const [q] = useDebouncedValue(searchText, DEBOUNCE_MS);
  const notifications = useNotifications(q);
  const groups = [
    { group: t("shell.feed"), actions: notifications.actions },
    { group: t("shell.searchChannels"), actions: useChannels(q) },
    { group: t("shell.devices"), actions: useDevices(q) },
    { group: t("shell.groups"), actions: useGroups(q) },
    { group: t("shell.teams"), actions: useTeams(q) },
    { group: t("shell.searchPeople"), actions: usePeople(q) },
  ];
  if (searchText === "") return { groups: [], isPending: false };
  return {
    groups: groups.filter(({ actions }) => actions.length > 0),
    isPending: searchText !== q || notifications.isPending,
  };
}

function useNotifications(q: string) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data, isPending, isPlaceholderData } = useQuery({
    queryKey: ["palette", q],
    queryFn: ({ signal }) => client.feed.list({ q, limit: RESULTS_MAX }, { signal }),
    enabled: q !== "",
    placeholderData: keepPreviousData,
  });
  const results: SpotlightActionData[] = (data?.items ?? []).map((item) => ({
    id: `notification ${item.id}`,
    label: titleOf(item),
    description: `${item.channel} · ${formatTimestamp(item.createdAt)}`,
    leftSection: <CommandIcon icon={IconBell} />,
    onClick: () => void navigate({ to: PATHS.notification, params: { id: item.id } }),
  }));
  const showAll = {
    id: "notifications",
    label: t("shell.searchAll", { q }),
    leftSection: <CommandIcon icon={IconSearch} />,
    onClick: () => void navigate({ to: PATHS.feed, search: { q } }),
  };
  const hasMore = data !== undefined && data.nextCursor !== null;
  return {
    actions: hasMore ? [...results, showAll] : results,
    isPending: q !== "" && (isPending || isPlaceholderData),
  };
}

function useChannels(q: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery(channelsQuery);
  return data
    .filter(({ name }) => matchesWords(name, q))
    .slice(0, RESULTS_MAX)
    .map(({ name }) => ({
      id: `channel ${name}`,
      label: name,
      leftSection: <CommandIcon icon={IconHash} />,
      onClick: () => void navigate({ to: PATHS.feed, search: { channel: name } }),
    }));
}

function useDevices(q: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery(devicesQuery);
  return data
    .filter(({ name }) => matchesWords(name, q))
    .slice(0, RESULTS_MAX)
    .map(({ id, name }) => ({
      id: `device ${id}`,
      label: name,
      leftSection: <CommandIcon icon={IconDevices} />,
      onClick: () => void navigate({ to: PATHS.devices }),
    }));
}

function useGroups(q: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery({ ...groupsQuery, enabled: q !== "" });
  return data
    .filter(({ name }) => matchesWords(name, q))
    .slice(0, RESULTS_MAX)
    .map(({ id, name }) => ({
      id: `group ${id}`,
      label: name,
      leftSection: <CommandIcon icon={IconStack2} />,
      onClick: () => void navigate({ to: PATHS.groups }),
    }));
}

function useTeams(q: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery(teamsQuery);
  return data
    .filter(({ name }) => matchesWords(name, q))
    .slice(0, RESULTS_MAX)
    .map(({ id, name }) => ({
      id: `team ${id}`,
      label: name,
      leftSection: <CommandIcon icon={IconUsers} />,
      onClick: () => void navigate({ to: PATHS.team, params: { id } }),
    }));
}

/** Returns the matching members of the account's teams and, for administrators, of the whole server. */
function usePeople(q: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const { isAdmin } = useAccount();
  const { data: teams = [] } = useQuery(teamsQuery);
  const details = useQueries({
    queries: teams.slice(0, TEAMS_MAX).map(({ id }) => ({ ...teamQuery(id), enabled: q !== "" })),
  });
  const accounts = useQuery({ ...accountsQuery(q), enabled: isAdmin && q !== "" });
  const members = details.flatMap(({ data: team }) =>
    (team?.members ?? []).map(({ accountId, name, email }) => ({
      id: `member ${accountId}`,
      label: name,
      description: `${email} · ${team?.name ?? ""}`,
      onClick: () => void navigate({ to: PATHS.team, params: { id: team?.id ?? "" } }),
    })),
  );
  const others = (accounts.data?.items ?? []).map(({ id, name, email }) => ({
    id: `account ${id}`,
    label: name,
    description: email,
    onClick: () => void navigate({ to: PATHS.accounts }),
  }));
  return [...members, ...others]
    .filter(({ label, description }) => matchesWords(`${label} ${description}`, q))
    .slice(0, RESULTS_MAX)
    .map((person) => Object.assign(person, { leftSection: <CommandIcon icon={IconUser} /> }));
}
