import { Kbd, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PATHS } from "../paths.ts";
import { AccountMenu } from "./account-menu.tsx";
import classes from "./frame.module.css";
import { KeyboardShortcuts } from "./keyboard-shortcuts.tsx";
import { LiveBadge } from "./live-badge.tsx";
import { Navigation } from "./navigation.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import { ServiceTroubles } from "./service-troubles.tsx";
import { useUnreadBadge } from "./use-unread-badge.ts";
import { UpdateNotice } from "./update-notice.tsx";
import { useShortcut } from "./use-shortcut.ts";

const CommandPalette = lazy(async () => ({
  default: (await import("./palette.tsx")).CommandPalette,
}));

/** The frame around all pages that need a session. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const openPalette = useCallback(() => setIsPaletteOpen(true), []);
  useShortcut("k", openPalette);
  useUnreadBadge();
  return (
    <div className={classes["frame"]}>
      <a className={classes["skip"]} href="#main">
        {t("shell.skip")}
      </a>
      <header className={classes["side"]}>
        <div className={classes["brandRow"]}>
          <Link to={PATHS.feed} className={classes["brand"]}>
            <img src="/icons/bell.svg" alt="" width={28} height={28} />
            Tocsin
          </Link>
          <LiveBadge />
        </div>
        <UnstyledButton className={classes["search"] ?? ""} onClick={openPalette}>
          <IconSearch size={18} stroke={1.75} aria-hidden />
          <span className={classes["searchText"]}>{t("shell.search")}</span>
          <Kbd className={classes["kbd"] ?? ""} aria-hidden>
            {PALETTE_SHORTCUT_LABEL}
          </Kbd>
        </UnstyledButton>
        <Navigation />
        <div className={classes["account"]}>
          <AccountMenu />
        </div>
      </header>
      <div className={classes["content"]}>
        <OfflineBanner />
        <ServiceTroubles />
        <UpdateNotice />
        <main id="main" className={classes["main"]} tabIndex={-1}>
          {children}
        </main>
      </div>
      <KeyboardShortcuts paletteShortcut={PALETTE_SHORTCUT_LABEL} onSearch={openPalette} />
      {isPaletteOpen && (
        <Suspense>
          <CommandPalette onClose={() => setIsPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

const PALETTE_SHORTCUT_LABEL = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";
