import { UnstyledButton } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import classes from "./navigation.module.css";
import { PageLink, RingingBadge, ServiceTroubleBadge, useCurrentPage } from "./page-link.tsx";
import { getVisibleSections } from "./pages.ts";

const MorePages = lazy(async () => ({ default: (await import("./more-pages.tsx")).MorePages }));

/**
 * The links to all pages, in a column next to the page. On a phone, they are in a bar, whose last item opens the other
 * pages.
 */
export function Navigation() {
  const { t } = useTranslation();
  const sections = getVisibleSections(useAccount());
  return (
    <nav className={classes["navigation"]} aria-label={t("shell.navigation")}>
      {sections.map(({ label, pages }) => (
        <div key={pages[0]?.path} className={classes["section"]}>
          {label !== undefined && <p className={classes["sectionLabel"]}>{t(label)}</p>}
          <ul className={classes["list"]}>
            {pages.map((page) => (
              <li key={page.path} data-outside-bar={!page.isInBar || undefined}>
                <PageLink page={page} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      <MoreButton />
    </nav>
  );
}

function MoreButton() {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  // Stays mounted after the first time, so that its closing animation is visible.
  const [isMounted, setIsMounted] = useState(false);
  const openDrawer = () => {
    setIsMounted(true);
    setIsOpen(true);
  };
  const isCurrent = useCurrentPage()?.isInBar !== true;
  return (
    <div className={classes["more"]}>
      <UnstyledButton
        className={classes["link"] ?? ""}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-current={isCurrent || undefined}
        onClick={openDrawer}
      >
        <span className={classes["icon"]}>
          <IconDots size={20} stroke={1.75} aria-hidden />
        </span>
        <span className={classes["label"]}>{t("shell.more")}</span>
        <RingingBadge fallback={<ServiceTroubleBadge />} />
      </UnstyledButton>
      {isMounted && (
        <Suspense>
          <MorePages isOpen={isOpen} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
