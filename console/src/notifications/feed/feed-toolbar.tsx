import { Button, CloseButton, TextInput } from "@mantine/core";
import { IconMailOpened, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { PATHS } from "../../paths.ts";
import { toSearchText, type FeedFilter } from "./feed-filter.ts";
import { channelsQuery } from "./feed-queries.ts";
import classes from "./feed-toolbar.module.css";
import { MarkAllReadButton } from "./mark-all-read-button.tsx";

/** Pause after the last key press before the search runs. */
const DEBOUNCE_MS = 250;

/** The filter controls of the feed: search, unread only, and channel. The filter is in the page's query. */
export function FeedToolbar({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isUnreadOnly = filter.unread === true;
  const toggleUnreadOnly = () => {
    const { unread: _unread, ...otherFilters } = filter;
    void navigate({
      to: PATHS.feed,
      search: isUnreadOnly ? otherFilters : { ...otherFilters, unread: true },
    });
  };
  return (
    <div className={classes["toolbar"]} role="search">
      <div className={classes["line"]}>
        <SearchField filter={filter} />
        <Button
          variant={isUnreadOnly ? "light" : "default"}
          className={classes["unread"] ?? ""}
          leftSection={<IconMailOpened size={16} aria-hidden />}
          aria-pressed={isUnreadOnly}
          onClick={toggleUnreadOnly}
        >
          {t("feed.unreadOnly")}
        </Button>
        <MarkAllReadButton filter={filter} />
      </div>
      <ChannelChips filter={filter} />
    </div>
  );
}

function SearchField({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const query = filter.q ?? "";
  const [text, setText] = useState(query);
  const appliedQuery = useRef(query);
  useEffect(() => {
    // The browser's back and forward buttons change the query without typing.
    if (query !== appliedQuery.current) setText(query);
    appliedQuery.current = query;
  }, [query]);
  useEffect(() => {
    const newQuery = toSearchText(text);
    if (newQuery === appliedQuery.current) return;
    const timer = setTimeout(() => {
      const { q: _q, ...otherFilters } = filter;
      appliedQuery.current = newQuery;
      const search = newQuery === "" ? otherFilters : { ...otherFilters, q: newQuery };
      void navigate({ to: PATHS.feed, search, replace: true });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, filter, navigate]);
  return (
    <TextInput
      type="text"
      enterKeyHint="search"
      className={classes["search"] ?? ""}
      placeholder={t("feed.search")}
      aria-label={t("feed.search")}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text !== "" && (
          <CloseButton size="sm" aria-label={t("feed.clearSearch")} onClick={() => setText("")} />
        )
      }
    />
  );
}

/** The channels with their unread counts, newest activity first, in a row that scrolls. */
function ChannelChips({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const { data: channels = [] } = useQuery(channelsQuery);
  const sortedChannels = channels.toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
  const { channel, ...otherFilters } = filter;
  const totalUnread = channels.reduce((sum, entry) => sum + entry.unread, 0);
  if (channels.length < 2 && channel === undefined) return null;
  return (
    <nav className={classes["channels"]} aria-label={t("feed.channels")}>
      <ul className={classes["chips"]}>
        <Chip
          name={t("feed.allChannels")}
          unread={totalUnread}
          search={otherFilters}
          isSelected={!channel}
        />
        {sortedChannels.map(({ name, unread: channelUnread }) => (
          <Chip
            key={name}
            name={name}
            unread={channelUnread}
            search={{ ...otherFilters, channel: name }}
            isSelected={name === channel}
          />
        ))}
      </ul>
    </nav>
  );
}

/** Maximum length of a name that always fits. Longer names have a tooltip. */
const NAME_LENGTH_MAX = 24;

interface ChipProps {
  readonly name: string;
  readonly unread: number;
  readonly search: FeedFilter;
  readonly isSelected: boolean;
}

function Chip({ name, unread, search, isSelected }: ChipProps) {
  const { t } = useTranslation();
  const chip = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSelected) chip.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isSelected]);
  return (
    <li ref={chip}>
      <Link
        to={PATHS.feed}
        search={search}
        className={classes["chip"]}
        aria-current={isSelected || undefined}
        data-selected={isSelected || undefined}
        title={name.length > NAME_LENGTH_MAX ? name : undefined}
      >
        <span className={classes["name"]}>{name}</span>
        {unread > 0 && (
          <span className={classes["count"]}>
            <span aria-hidden>{unread}</span>
            <span className={classes["hidden"]}>{t("shell.unread", { count: unread })}</span>
          </span>
        )}
      </Link>
    </li>
  );
}
