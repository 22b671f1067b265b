import { Button, CloseButton, TextInput } from "@mantine/core";
import { IconMailOpened, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { PATHS } from "../../paths.ts";
import { searchTextOf, type FeedFilter } from "./feed-filter.ts";
import { channelsQuery } from "./feed-queries.ts";
import classes from "./feed-toolbar.module.css";
import { MarkAllButton } from "./mark-all-button.tsx";

/** Pause in typing before the search runs. */
const TYPING_MS = 250;

/** Choice of what the feed shows: a search, unread ones, a channel. All of it is in the address. */
export function FeedToolbar({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isUnreadOnly = filter.unread === true;
  const toggle = () => {
    const { unread: _unread, ...rest } = filter;
    void navigate({ to: PATHS.feed, search: isUnreadOnly ? rest : { ...rest, unread: true } });
  };
  return (
    <div className={classes["toolbar"]} role="search">
      <div className={classes["line"]}>
        <Search filter={filter} />
        <Button
          variant={isUnreadOnly ? "light" : "default"}
          className={classes["unread"] ?? ""}
          leftSection={<IconMailOpened size={16} aria-hidden />}
          aria-pressed={isUnreadOnly}
          onClick={toggle}
        >
          {t("feed.unreadOnly")}
        </Button>
        <MarkAllButton filter={filter} />
      </div>
      <Channels filter={filter} />
    </div>
  );
}

function Search({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const shown = filter.q ?? "";
  const [typed, setTyped] = useState(shown);
  const sent = useRef(shown);
  useEffect(() => {
    // Back and forward change the address without typing.
    if (shown !== sent.current) setTyped(shown);
    sent.current = shown;
  }, [shown]);
  useEffect(() => {
    const q = searchTextOf(typed);
    if (q === sent.current) return;
    const timer = setTimeout(() => {
      const { q: _q, ...rest } = filter;
      sent.current = q;
      void navigate({ to: PATHS.feed, search: q === "" ? rest : { ...rest, q }, replace: true });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, filter, navigate]);
  return (
    <TextInput
      type="text"
      enterKeyHint="search"
      className={classes["search"] ?? ""}
      placeholder={t("feed.search")}
      aria-label={t("feed.search")}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        typed !== "" && (
          <CloseButton size="sm" aria-label={t("feed.clearSearch")} onClick={() => setTyped("")} />
        )
      }
    />
  );
}

/** The channels with their unread counts, the latest first, in one row that scrolls. */
function Channels({ filter }: { readonly filter: FeedFilter }) {
  const { t } = useTranslation();
  const { data = [] } = useQuery(channelsQuery);
  const latest = data.toSorted((one, other) => (one.lastAt < other.lastAt ? 1 : -1));
  const { channel, ...rest } = filter;
  const unread = data.reduce((sum, one) => sum + one.unread, 0);
  if (data.length < 2 && channel === undefined) return null;
  return (
    <nav className={classes["channels"]} aria-label={t("feed.channels")}>
      <ul className={classes["chips"]}>
        <Chip name={t("feed.allChannels")} unread={unread} search={rest} isChosen={!channel} />
        {latest.map(({ name, unread: ofChannel }) => (
          <Chip
            key={name}
            name={name}
            unread={ofChannel}
            search={{ ...rest, channel: name }}
            isChosen={name === channel}
          />
        ))}
      </ul>
    </nav>
  );
}

/** Characters beyond which a name may be cut; a pointer that rests on it shows it whole. */
const NAME_SHOWN_MAX = 24;

interface ChipProps {
  readonly name: string;
  readonly unread: number;
  readonly search: FeedFilter;
  readonly isChosen: boolean;
}

function Chip({ name, unread, search, isChosen }: ChipProps) {
  const { t } = useTranslation();
  const chip = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) chip.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isChosen]);
  return (
    <li ref={chip}>
      <Link
        to={PATHS.feed}
        search={search}
        className={classes["chip"]}
        aria-current={isChosen || undefined}
        data-chosen={isChosen || undefined}
        title={name.length > NAME_SHOWN_MAX ? name : undefined}
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
