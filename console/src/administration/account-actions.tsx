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
import { ConfirmDialog } from "../page/confirm-dialog.tsx";
import { useAction } from "../page/use-action.ts";
import { AccountDevicesDialog } from "./account-devices-dialog.tsx";
import { DeleteAccountDialog } from "./delete-account-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";

/** A change that an administrator makes to an account, or its reversal. */
type AccountChange = "promote" | "demote" | "suspend" | "reactivate" | "confirmEmail";

const CHANGE_INPUTS = {
  promote: { isAdmin: true },
  demote: { isAdmin: false },
  suspend: { isSuspended: true },
  reactivate: { isSuspended: false },
  confirmEmail: { isEmailVerified: true },
} as const;

/** An administrator's actions on another account. A change or a deletion needs a confirmation. */
export function AccountActions({ account }: { readonly account: ListedAccount }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // Keeps its value after the dialog closes, so that the text stays during the animation.
  const [change, setChange] = useState<AccountChange>("suspend");
  const [isConfirming, setIsConfirming] = useState(false);
  const [resetLink, setResetLink] = useState<ResetLink | null>(null);
  const [openDialog, setOpenDialog] = useState<"devices" | "delete" | null>(null);
  const { id, name, email } = account;
  const { start: createLink } = useAction(async () =>
    setResetLink(await client.admin.accounts.resetLink(id)),
  );
  const openConfirmation = (selectedChange: AccountChange) => {
    setChange(selectedChange);
    setIsConfirming(true);
  };
  const applyChange = async () => {
    await client.admin.accounts.update(id, CHANGE_INPUTS[change]);
    await queryClient.invalidateQueries({ queryKey: ["admin", "accounts"] });
  };
  return (
    <>
      <AccountMenu
        account={account}
        onCreateResetLink={createLink}
        onSelectChange={openConfirmation}
        onOpenDialog={setOpenDialog}
      />
      <ConfirmDialog
        isOpen={isConfirming}
        title={t(`admin.${change}Title`, { name })}
        message={t(`admin.${change}Text`, { email })}
        actionLabel={t(`admin.${change}`)}
        onConfirm={applyChange}
        onClose={() => setIsConfirming(false)}
      />
      <LinkDialog
        title={t("admin.resetTitle", { name })}
        text={t("admin.resetText")}
        link={resetLink?.link ?? null}
        onClose={() => setResetLink(null)}
      />
      <AccountDevicesDialog
        account={account}
        isOpen={openDialog === "devices"}
        onClose={() => setOpenDialog(null)}
      />
      <DeleteAccountDialog
        account={account}
        isOpen={openDialog === "delete"}
        onClose={() => setOpenDialog(null)}
      />
    </>
  );
}

interface AccountMenuProps {
  readonly account: ListedAccount;
  readonly onCreateResetLink: () => void;
  readonly onSelectChange: (change: AccountChange) => void;
  readonly onOpenDialog: (dialog: "devices" | "delete") => void;
}

function AccountMenu({
  account,
  onCreateResetLink,
  onSelectChange,
  onOpenDialog,
}: AccountMenuProps) {
  const { t } = useTranslation();
  const { name, isAdmin, isEmailVerified, suspendedAt } = account;
  const roleChange = isAdmin ? "demote" : "promote";
  const suspensionChange = suspendedAt === null ? "suspend" : "reactivate";
  const colorProps = suspensionChange === "suspend" ? { c: "var(--mantine-color-error)" } : {};
  return (
    <ActionsMenu label={t("admin.actions", { name })} size={44}>
      <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={onCreateResetLink}>
        {t("admin.resetLink")}
      </Menu.Item>
      {!isEmailVerified && (
        <Menu.Item
          leftSection={<IconMailCheck size={16} aria-hidden />}
          onClick={() => onSelectChange("confirmEmail")}
        >
          {t("admin.confirmEmail")}
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconDevices size={16} aria-hidden />}
        onClick={() => onOpenDialog("devices")}
      >
        {t("admin.showDevices")}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconUserCog size={16} aria-hidden />}
        onClick={() => onSelectChange(roleChange)}
      >
        {t(`admin.${roleChange}`)}
      </Menu.Item>
      <Menu.Item
        {...colorProps}
        leftSection={<IconUserOff size={16} aria-hidden />}
        onClick={() => onSelectChange(suspensionChange)}
      >
        {t(`admin.${suspensionChange}`)}
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onOpenDialog("delete")}
      >
        {t("admin.deleteAccount")}
      </Menu.Item>
    </ActionsMenu>
  );
}
