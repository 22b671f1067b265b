import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Page } from "../../page/page.tsx";
import { PATHS } from "../../paths.ts";
import classes from "./profile.module.css";

const PAGES = [
  { path: PATHS.settings, name: "you" },
  { path: PATHS.security, name: "security" },
  { path: PATHS.access, name: "access" },
] as const;

interface ProfileFrameProps {
  readonly name: (typeof PAGES)[number]["name"];
  readonly children: ReactNode;
}

/** The frame of a profile page, with links to all profile pages. */
export function ProfileFrame({ name, children }: ProfileFrameProps) {
  const { t } = useTranslation();
  return (
    <Page title={t(`profile.pages.${name}.title`)} text={t(`profile.pages.${name}.text`)}>
      <nav className={classes["pages"]} aria-label={t("profile.title")}>
        {PAGES.map((page) => (
          <Link
            key={page.path}
            to={page.path}
            className={classes["page"]}
            activeOptions={{ exact: true }}
          >
            {t(`profile.pages.${page.name}.title`)}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
