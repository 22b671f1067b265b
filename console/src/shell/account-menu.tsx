import { Avatar, Menu, Text, UnstyledButton } from "@mantine/core";
import { IconBook, IconLogout, IconSelector, IconSettings } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import { useSignOut } from "../accounts/sign-out.ts";
import { useAction } from "../page/use-action.ts";
import { PATHS } from "../paths.ts";
import classes from "./account-menu.module.css";

/** Who is signed in, and what concerns them. */
export function AccountMenu() {
  const { t } = useTranslation();
  const { name, email } = useAccount();
  const { start: signOut } = useAction(useSignOut());
  return (
    <Menu position="top-start" width={232} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes["target"] ?? ""}>
          <Avatar name={name} color="accent" size={32} radius="xl" aria-hidden />
          <span className={classes["who"]}>
            <Text size="sm" fw={600} truncate>
              {name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {email}
            </Text>
          </span>
          <IconSelector size={16} className={classes["more"]} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{email}</Menu.Label>
        <Menu.Item
          component={Link}
          to={PATHS.settings}
          leftSection={<IconSettings size={16} aria-hidden />}
        >
          {t("shell.settings")}
        </Menu.Item>
        <Menu.Item
          component="a"
          href="/docs"
          target="_blank"
          rel="noopener"
          leftSection={<IconBook size={16} aria-hidden />}
        >
          {t("shell.reference")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={signOut}>
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
