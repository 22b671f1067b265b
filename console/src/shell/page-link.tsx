import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { ringingCountQuery } from "../incidents/ringing-count-query.ts";
import { useUnreadCount } from "../notifications/feed/use-unread-count.ts";
import { PATHS } from "../paths.ts";
import { receivedInvitationsQuery } from "../teams/team-queries.ts";
import classes from "./navigation.module.css";
import { useServiceTroubles } from "./service-troubles-query.ts";
import { NAVIGATION_SECTIONS, type NavigationPage } from "./pages.ts";

const DISPLAYED_COUNT_MAX = 99;

/** Returns the navigation page that is open or contains the open page. */
export function useCurrentPage(): NavigationPage | undefined {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return NAVIGATION_SECTIONS.flatMap(({ pages }) => pages).find(({ path: rootPath }) =>
    isWithin(path, rootPath),
  );
}

/** A link to a navigation page, with the number of items that need attention. */
export function PageLink({
  page,
  onNavigate,
}: {
  readonly page: NavigationPage;
  readonly onNavigate?: () => void;
}) {
  const { t } = useTranslation();
  const { path, label, icon: PageIcon } = page;
  const isCurrent = useCurrentPage() === page;
  return (
    <Link
      to={path}
      className={classes["link"]}
      aria-current={isCurrent ? "page" : undefined}
      data-current={isCurrent || undefined}
      {...(onNavigate !== undefined && { onClick: onNavigate })}
    >
      <span className={classes["icon"]}>
        <PageIcon size={20} stroke={1.75} aria-hidden />
      </span>
      <span className={classes["label"]}>{t(label)}</span>
      {path === PATHS.feed && <UnreadBadge />}
      {path === PATHS.incidents && <RingingBadge />}
      {path === PATHS.teams && <InvitationBadge />}
      {path === PATHS.providers && <ServiceTroubleBadge />}
    </Link>
  );
}

function UnreadBadge() {
  const { t } = useTranslation();
  const count = useUnreadCount();
  return <CountBadge count={count} text={t("shell.unread", { count })} />;
}

/** The number of ringing incidents and prompts; renders `fallback` if there is none. */
export function RingingBadge({ fallback }: { readonly fallback?: ReactNode }) {
  const { t } = useTranslation();
  const { data: count = 0 } = useQuery(ringingCountQuery);
  if (count === 0) return fallback;
  return <CountBadge count={count} text={t("shell.ringing", { count })} isProblem />;
}

function InvitationBadge() {
  const { t } = useTranslation();
  const { data: { length: count } = [] } = useQuery(receivedInvitationsQuery);
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
  const displayedCount = count > DISPLAYED_COUNT_MAX ? `${DISPLAYED_COUNT_MAX}+` : String(count);
  return (
    <span className={classes["count"]} data-problem={isProblem}>
      <span aria-hidden>{displayedCount}</span>
      <span className={classes["hidden"]}>{text}</span>
    </span>
  );
}

function isWithin(path: string, rootPath: NavigationPage["path"]): boolean {
  if (rootPath === PATHS.feed) return path === rootPath || path.startsWith("/n/");
  return path === rootPath || path.startsWith(`${rootPath}/`);
}
