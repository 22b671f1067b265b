import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { FieldError, hasErrorCode } from "../../errors.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Card } from "../../page/card.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Form } from "../../page/form.tsx";
import { QueryContent } from "../../page/query-states.tsx";
import { showToast } from "../../page/toasts.ts";
import { useAccount } from "../account-context.ts";
import { createAccountFields } from "../account-fields.ts";
import { HiddenUsername } from "./password-confirmation-form.tsx";
import { refetchQueries, accountSignInMethodsQuery, sessionsQuery } from "./profile-queries.ts";
import { SettingRow } from "./setting-row.tsx";

/** A card that changes the password. An account from an identity provider may have no password. */
export function PasswordCard() {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Card title={t("account.password")}>
      <QueryContent query={useQuery(accountSignInMethodsQuery)} rows={1}>
        {({ hasPassword }) =>
          hasPassword ? (
            <SettingRow title={t("profile.password")} text={t("profile.passwordText")}>
              <Button variant="default" onClick={() => setIsOpen(true)}>
                {t("profile.changePassword")}
              </Button>
            </SettingRow>
          ) : (
            <SetPasswordRow />
          )
        }
      </QueryContent>
      <ChangePasswordDialog isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </Card>
  );
}

function SetPasswordRow() {
  const { t } = useTranslation();
  const { email } = useAccount();
  const sendLink = async () => {
    await client.requestPasswordReset({ email });
    showToast(t("profile.emailSent", { email }));
  };
  return (
    <SettingRow title={t("profile.noPassword")} text={t("profile.noPasswordText")}>
      <ActionButton variant="default" run={sendLink}>
        {t("account.sendLink")}
      </ActionButton>
    </SettingRow>
  );
}

interface ChangePasswordDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ChangePasswordDialog({ isOpen, onClose }: ChangePasswordDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { password, newPassword } = createAccountFields();
  const currentPassword = {
    ...password,
    name: "currentPassword",
    label: t("profile.currentPassword"),
    hasInitialFocus: true,
  } as const;
  const changePassword = async (getValue: (field: string) => string) => {
    const input = {
      currentPassword: getValue("currentPassword"),
      newPassword: getValue("newPassword"),
    };
    await client.changePassword(input).catch((error: unknown) => {
      const isWrong = hasErrorCode(error, "invalid_field") && error.field === "currentPassword";
      throw isWrong ? new FieldError("currentPassword", t("profile.wrongPassword")) : error;
    });
    await refetchQueries(queryClient, sessionsQuery);
    showToast(t("profile.passwordChanged"));
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={t("profile.changePassword")} onClose={onClose}>
      <Form
        fields={[currentPassword, newPassword]}
        submitLabel={t("account.resetSubmit")}
        onSubmit={changePassword}
      >
        <HiddenUsername />
      </Form>
    </Dialog>
  );
}
