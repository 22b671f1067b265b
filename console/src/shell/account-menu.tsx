import { Avatar, Text, UnstyledButton } from "@mantine/core";
import { IconBook, IconLogout, IconSelector, IconSettings } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { useSignOut } from "../accounts/sign-out.ts";
import { useAction } from "../page/use-action.ts";
import { PATHS } from "../paths.ts";
import classes from "./account-menu.module.css";

/**
 * The menu of the signed-in account. It uses the browser's popover, which opens above everything, closes on Escape and
 * on a click outside, and returns the focus. Every page has this menu, so it must not need a library.
 */
export function AccountMenu() {
  const id = useId();
  const { name, email } = useAccount();
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <UnstyledButton className={classes["target"] ?? ""} popoverTarget={id}>
        <Avatar name={name} color="accent" size={32} radius="xl" aria-hidden />
        <span className={classes["account"]}>
          <Text size="sm" fw={600} truncate>
            {name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {email}
          </Text>
        </span>
        <IconSelector size={16} className={classes["more"]} aria-hidden />
      </UnstyledButton>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className={classes["menu"]}
        onBeforeToggle={({ newState }) => newState === "open" && setIsOpen(true)}
        // Unmounts the items only after the menu has closed: the browser returns the focus only if the focused item
        // still exists.
        onToggle={({ newState }) => newState === "closed" && setIsOpen(false)}
      >
        {isOpen && <MenuItems onNavigate={() => menu.current?.hidePopover()} />}
      </div>
    </>
  );
}

function MenuItems({ onNavigate }: { readonly onNavigate: () => void }) {
  const { t } = useTranslation();
  const { email } = useAccount();
  const { start: signOut } = useAction(useSignOut());
  return (
    <>
      <p className={classes["email"]}>{email}</p>
      <Link to={PATHS.settings} className={classes["item"]} onClick={onNavigate}>
        <IconSettings size={16} aria-hidden />
        {t("shell.settings")}
      </Link>
      <a
        href="/docs"
        target="_blank"
        rel="noopener"
        className={classes["item"]}
        onClick={onNavigate}
      >
        <IconBook size={16} aria-hidden />
        {t("shell.reference")}
      </a>
      <hr className={classes["line"]} />
      <button type="button" className={classes["item"]} onClick={signOut}>
        <IconLogout size={16} aria-hidden />
        {t("shell.signOut")}
      </button>
    </>
  );
}
