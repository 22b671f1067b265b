import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "../page/page.tsx";
import { PATHS } from "../paths.ts";
import classes from "./administration.module.css";

const TABS = [
  { to: PATHS.administration, label: "admin.health" },
  { to: PATHS.accounts, label: "admin.accounts" },
  { to: PATHS.rules, label: "admin.rules" },
  { to: PATHS.mail, label: "admin.mail" },
  { to: PATHS.audit, label: "audit.title" },
] as const;

interface AdministrationFrameProps {
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of an administration page, with links to all administration pages. */
export function AdministrationFrame({ actions, children }: AdministrationFrameProps) {
  const { t } = useTranslation();
  return (
    <Page title={t("admin.title")} text={t("admin.text")} actions={actions}>
      <nav className={classes["tabs"]} aria-label={t("admin.title")}>
        {TABS.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: true }}
            activeProps={{ "aria-current": "page" }}
            className={classes["tab"]}
          >
            {t(label)}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
