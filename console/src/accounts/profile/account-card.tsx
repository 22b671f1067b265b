import { Avatar, Button, Text } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Card } from "../../page/card.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Form } from "../../page/form.tsx";
import { showToast } from "../../page/toasts.ts";
import { useAccount } from "../account-context.ts";
import { createAccountFields } from "../account-fields.ts";
import { useSignOut } from "../sign-out.ts";
import { useSessionRefresh } from "../use-session-refresh.ts";
import { EmailRow } from "./email-row.tsx";
import { ChangeEmailDialog } from "./change-email-dialog.tsx";
import classes from "./profile.module.css";
import { SettingRows } from "./setting-row.tsx";

/** Name and email address of the signed-in account. */
export function AccountCard() {
  const { t } = useTranslation();
  const [openDialog, setOpenDialog] = useState<"name" | "email" | null>(null);
  const close = () => setOpenDialog(null);
  return (
    <Card title={t("settings.account")} actions={<SignOutButton />}>
      <SettingRows>
        <AccountIdentity>
          <Button variant="default" onClick={() => setOpenDialog("name")}>
            {t("profile.changeName")}
          </Button>
        </AccountIdentity>
        <EmailRow onChange={() => setOpenDialog("email")} />
      </SettingRows>
      <ChangeNameDialog isOpen={openDialog === "name"} onClose={close} />
      <ChangeEmailDialog isOpen={openDialog === "email"} onClose={close} />
    </Card>
  );
}

function SignOutButton() {
  const { t } = useTranslation();
  const signOut = useSignOut();
  return (
    <ActionButton
      variant="default"
      leftSection={<IconLogout size={16} aria-hidden />}
      run={signOut}
    >
      {t("shell.signOut")}
    </ActionButton>
  );
}

function AccountIdentity({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { name, isAdmin } = useAccount();
  return (
    <div className={classes["row"]}>
      <div className={classes["identity"]}>
        <Avatar name={name} color="accent" size={44} radius="xl" aria-hidden />
        <div>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {t(isAdmin ? "profile.admin" : "profile.member")}
          </Text>
        </div>
      </div>
      {children}
    </div>
  );
}

interface ChangeNameDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ChangeNameDialog({ isOpen, onClose }: ChangeNameDialogProps) {
  const { t } = useTranslation();
  const { name } = useAccount();
  const refresh = useSessionRefresh();
  const field = {
    ...createAccountFields().name,
    hint: t("profile.nameHint"),
    initialValue: name,
    hasInitialFocus: true,
  } as const;
  const changeName = async (getValue: (field: string) => string) => {
    await client.profile.update({ name: getValue("name") });
    await refresh();
    showToast(t("profile.nameChanged"));
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={t("profile.nameTitle")} onClose={onClose}>
      <Form fields={[field]} submitLabel={t("profile.save")} onSubmit={changeName} />
    </Dialog>
  );
}
