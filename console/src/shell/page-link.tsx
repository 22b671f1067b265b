import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { useUnread } from "../notifications/feed/use-unread.ts";
import { PATHS } from "../paths.ts";
import { receivedQuery } from "../teams/team-queries.ts";
import classes from "./navigation.module.css";
import { useServiceTroubles } from "./service-troubles-query.ts";
import { SECTIONS, type NavigationPage } from "./pages.ts";

const COUNT_MAX = 99;

/** Returns the navigation page that is open or contains the open page. */
export function useCurrentPage(): NavigationPage | undefined {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return SECTIONS.flatMap(({ pages }) => pages).find(({ path: root }) => isWithin(path, root));
}

/** A link to a navigation page, with the number of items that need attention. */
export function PageLink({
  page,
  onFollow,
}: {
  readonly page: NavigationPage;
  readonly onFollow?: () => void;
}) {
  const { t } = useTranslation();
  const { path, label, icon: PageIcon } = page;
  const isCurrent = useCurrentPage() === page;
  return (
    <Link
      to={path}
      className={classes["link"]}
      aria-current={isCurrent ? "page" : undefined}
      data-here={isCurrent || undefined}
      {...(onFollow !== undefined && { onClick: onFollow })}
    >
      <span className={classes["icon"]}>
        <PageIcon size={20} stroke={1.75} aria-hidden />
      </span>
      <span className={classes["label"]}>{t(label)}</span>
      {path === PATHS.feed && <UnreadBadge />}
      {path === PATHS.teams && <InvitationBadge />}
      {path === PATHS.providers && <ServiceTroubleBadge />}
    </Link>
  );
}

function UnreadBadge() {
  const { t } = useTranslation();
  const count = useUnread();
  return <CountBadge count={count} text={t("shell.unread", { count })} />;
}

function InvitationBadge() {
  const { t } = useTranslation();
  const { data: { length: count } = [] } = useQuery(receivedQuery);
  return <CountBadge count={count} text={t("shell.invitations", { count })} />;
}

/** The number of push services in trouble; renders nothing unless the account is an administrator. */
export function ServiceTroubleBadge() {
  const { t } = useTranslation();
  const { isAdmin } = useAccount();
  const { length: count } = useServiceTroubles();
  return isAdmin ? (
    <CountBadge count={count} text={t("shell.troubles", { count })} isProblem />
  ) : null;
}

interface CountBadgeProps {
  readonly count: number;
  readonly text: string;
  /** Whether the badge counts problems. */
  readonly isProblem?: true;
}

function CountBadge({ count, text, isProblem }: CountBadgeProps) {
  if (count === 0) return null;
  const displayedCount = count > COUNT_MAX ? `${COUNT_MAX}+` : String(count);
  return (
    <span className={classes["count"]} data-bad={isProblem}>
      <span aria-hidden>{displayedCount}</span>
      <span className={classes["hidden"]}>{text}</span>
    </span>
  );
}

function isWithin(path: string, root: NavigationPage["path"]): boolean {
  if (root === PATHS.feed) return path === root || path.startsWith("/n/");
  return path === root || path.startsWith(`${root}/`);
}
