import { Menu } from "@mantine/core";
import {
  IconDevices,
  IconKey,
  IconMailCheck,
  IconTrash,
  IconUserCog,
  IconUserOff,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ListedAccount, ResetLink } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionsMenu } from "../page/actions-menu.tsx";
import { Confirm } from "../page/confirm.tsx";
import { useAction } from "../page/use-action.ts";
import { AccountDevices } from "./account-devices.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { LinkDialog } from "./link-dialog.tsx";

/** Changes that an administrator makes to an account, and their reversals. */
type Change = "promote" | "demote" | "suspend" | "reopen" | "confirm";

const CHANGES = {
  promote: { isAdmin: true },
  demote: { isAdmin: false },
  suspend: { isSuspended: true },
  reopen: { isSuspended: false },
  confirm: { isEmailVerified: true },
} as const;

/** An administrator's actions on another account, each with a confirmation. */
export function AccountActions({ account }: { readonly account: ListedAccount }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The dialog keeps its text while it fades out.
  const [change, setChange] = useState<Change>("suspend");
  const [isAsked, setAsked] = useState(false);
  const [made, setMade] = useState<ResetLink | null>(null);
  const [opened, setOpened] = useState<"devices" | "removal" | null>(null);
  const { id, name, email } = account;
  const { start: makeLink } = useAction(async () =>
    setMade(await client.admin.accounts.resetLink(id)),
  );
  const ask = (wanted: Change) => {
    setChange(wanted);
    setAsked(true);
  };
  const run = async () => {
    await client.admin.accounts.update(id, CHANGES[change]);
    await queryClient.invalidateQueries({ queryKey: ["admin", "accounts"] });
  };
  return (
    <>
      <AccountMenu account={account} onLink={makeLink} onAsk={ask} onOpen={setOpened} />
      <Confirm
        isOpen={isAsked}
        title={t(`admin.${change}Title`, { name })}
        text={t(`admin.${change}Text`, { email })}
        action={t(`admin.${change}`)}
        run={run}
        onClose={() => setAsked(false)}
      />
      <LinkDialog
        title={t("admin.resetTitle", { name })}
        text={t("admin.resetText")}
        link={made?.link ?? null}
        onClose={() => setMade(null)}
      />
      <AccountDevices
        account={account}
        isOpen={opened === "devices"}
        onClose={() => setOpened(null)}
      />
      <DeleteAccount
        account={account}
        isOpen={opened === "removal"}
        onClose={() => setOpened(null)}
      />
    </>
  );
}

interface AccountMenuProps {
  readonly account: ListedAccount;
  readonly onLink: () => void;
  readonly onAsk: (change: Change) => void;
  readonly onOpen: (dialog: "devices" | "removal") => void;
}

function AccountMenu({ account, onLink, onAsk, onOpen }: AccountMenuProps) {
  const { t } = useTranslation();
  const { name, isAdmin, isEmailVerified, suspendedAt } = account;
  const role = isAdmin ? "demote" : "promote";
  const suspension = suspendedAt === null ? "suspend" : "reopen";
  const color = suspension === "suspend" ? { c: "var(--mantine-color-error)" } : {};
  return (
    <ActionsMenu label={t("admin.actions", { name })} size={44}>
      <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={onLink}>
        {t("admin.resetLink")}
      </Menu.Item>
      {!isEmailVerified && (
        <Menu.Item
          leftSection={<IconMailCheck size={16} aria-hidden />}
          onClick={() => onAsk("confirm")}
        >
          {t("admin.confirm")}
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconDevices size={16} aria-hidden />}
        onClick={() => onOpen("devices")}
      >
        {t("admin.showDevices")}
      </Menu.Item>
      <Menu.Item leftSection={<IconUserCog size={16} aria-hidden />} onClick={() => onAsk(role)}>
        {t(`admin.${role}`)}
      </Menu.Item>
      <Menu.Item
        {...color}
        leftSection={<IconUserOff size={16} aria-hidden />}
        onClick={() => onAsk(suspension)}
      >
        {t(`admin.${suspension}`)}
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onOpen("removal")}
      >
        {t("admin.removeAccount")}
      </Menu.Item>
    </ActionsMenu>
  );
}
