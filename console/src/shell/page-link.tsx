import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { useUnread } from "../notifications/feed/unread.ts";
import { PATHS } from "../paths.ts";
import { receivedQuery } from "../teams/team-queries.ts";
import classes from "./navigation.module.css";
import { useServiceTroubles } from "./service-troubles-query.ts";
import { SECTIONS, type NavigationPage } from "./pages.ts";

const COUNT_SHOWN_MAX = 99;

/** Returns the page of the navigation that is open, or to which the open page belongs. */
export function usePlace(): NavigationPage | undefined {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return SECTIONS.flatMap(({ pages }) => pages).find(({ path: root }) => isWithin(path, root));
}

/** Link to a page of the navigation, with the number of things that wait there. */
export function PageLink({
  page,
  onFollow,
}: {
  readonly page: NavigationPage;
  readonly onFollow?: () => void;
}) {
  const { t } = useTranslation();
  const { path, label, icon: PageIcon } = page;
  const isHere = usePlace() === page;
  return (
    <Link
      to={path}
      className={classes["link"]}
      aria-current={isHere ? "page" : undefined}
      data-here={isHere || undefined}
      {...(onFollow !== undefined && { onClick: onFollow })}
    >
      <span className={classes["icon"]}>
        <PageIcon size={20} stroke={1.75} aria-hidden />
      </span>
      <span className={classes["label"]}>{t(label)}</span>
      {path === PATHS.feed && <Unread />}
      {path === PATHS.teams && <Invitations />}
      {path === PATHS.providers && <Troubles />}
    </Link>
  );
}

function Unread() {
  const { t } = useTranslation();
  const count = useUnread();
  return <Count count={count} text={t("shell.unread", { count })} />;
}

function Invitations() {
  const { t } = useTranslation();
  const { data: { length: count } = [] } = useQuery(receivedQuery);
  return <Count count={count} text={t("shell.invitations", { count })} />;
}

/** Number of push services in trouble; null for all but administrators. */
export function Troubles() {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const { length: count } = useServiceTroubles();
  return isAdmin ? <Count count={count} text={t("shell.troubles", { count })} isBad /> : null;
}

interface CountProps {
  readonly count: number;
  readonly text: string;
  /** Whether the count is one of problems. */
  readonly isBad?: true;
}

function Count({ count, text, isBad }: CountProps) {
  if (count === 0) return null;
  const shown = count > COUNT_SHOWN_MAX ? `${COUNT_SHOWN_MAX}+` : String(count);
  return (
    <span className={classes["count"]} data-bad={isBad}>
      <span aria-hidden>{shown}</span>
      <span className={classes["hidden"]}>{text}</span>
    </span>
  );
}

function isWithin(path: string, root: NavigationPage["path"]): boolean {
  if (root === PATHS.feed) return path === root || path.startsWith("/n/");
  return path === root || path.startsWith(`${root}/`);
}
