import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { channelsQuery } from "../notifications/feed-queries.ts";
import { PATHS } from "../paths.ts";
import classes from "./navigation.module.css";
import { NAVIGATION, type NavigationPage } from "./pages.ts";

const COUNT_SHOWN_MAX = 99;

/** The links to all pages: a column beside the page, or a bar below it on a phone. */
export function Navigation() {
  const { t } = useTranslation();
  return (
    <nav className={classes["navigation"]} aria-label={t("shell.navigation")}>
      <ul className={classes["list"]}>
        {NAVIGATION.map((page) => (
          <li key={page.path}>
            <PageLink page={page} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function PageLink({ page }: { readonly page: NavigationPage }) {
  const { t } = useTranslation();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { path: to, label, icon: PageIcon } = page;
  const isFeed = to === PATHS.feed;
  const isHere = isFeed ? path === to || path.startsWith("/n/") : path.startsWith(to);
  return (
    <Link
      to={to}
      className={classes["link"]}
      aria-current={isHere ? "page" : undefined}
      data-here={isHere || undefined}
    >
      <span className={classes["icon"]}>
        <PageIcon size={20} stroke={1.75} aria-hidden />
      </span>
      <span className={classes["label"]}>{t(label)}</span>
      {isFeed && <Unread />}
    </Link>
  );
}

function Unread() {
  const { t } = useTranslation();
  const { data = [] } = useQuery(channelsQuery);
  const count = data.reduce((sum, { unread }) => sum + unread, 0);
  if (count === 0) return null;
  const shown = count > COUNT_SHOWN_MAX ? `${COUNT_SHOWN_MAX}+` : String(count);
  return (
    <span className={classes["count"]}>
      <span aria-hidden>{shown}</span>
      <span className={classes["hidden"]}>{t("shell.unread", { count })}</span>
    </span>
  );
}
