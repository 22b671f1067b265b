import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { FieldError, isRefusedAs } from "../../errors.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Card } from "../../page/card.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Form } from "../../page/form.tsx";
import { QueryContent } from "../../page/states.tsx";
import { showToast } from "../../page/toasts.ts";
import { useAccount } from "../account-context.ts";
import { accountFields } from "../fields.ts";
import { HiddenUsername } from "./guarded-form.tsx";
import { refresh, securityQuery, sessionsQuery } from "./profile-queries.ts";
import { Row } from "./row.tsx";

/** Changes the password. An account from an identity provider may have none. */
export function PasswordCard() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title={t("account.password")}>
      <QueryContent query={useQuery(securityQuery)} rows={1}>
        {({ hasPassword }) =>
          hasPassword ? (
            <Row title={t("profile.password")} text={t("profile.passwordText")}>
              <Button variant="default" onClick={() => setOpen(true)}>
                {t("profile.changePassword")}
              </Button>
            </Row>
          ) : (
            <NoPassword />
          )
        }
      </QueryContent>
      <ChangePassword isOpen={isOpen} onClose={() => setOpen(false)} />
    </Card>
  );
}

function NoPassword() {
  const { t } = useTranslation();
  const { email } = useAccount();
  const send = async () => {
    await client.requestPasswordReset({ email });
    showToast(t("profile.emailSent", { email }));
  };
  return (
    <Row title={t("profile.noPassword")} text={t("profile.noPasswordText")}>
      <ActionButton variant="default" run={send}>
        {t("account.sendLink")}
      </ActionButton>
    </Row>
  );
}

interface ChangePasswordProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function ChangePassword({ isOpen, onClose }: ChangePasswordProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { password, newPassword } = accountFields();
  const currentPassword = {
    ...password,
    name: "currentPassword",
    label: t("profile.currentPassword"),
    isFirst: true,
  } as const;
  const change = async (valueOf: (field: string) => string) => {
    const input = {
      currentPassword: valueOf("currentPassword"),
      newPassword: valueOf("newPassword"),
    };
    await client.changePassword(input).catch((error: unknown) => {
      const isWrong = isRefusedAs(error, "invalid_field") && error.field === "currentPassword";
      throw isWrong ? new FieldError("currentPassword", t("profile.wrongPassword")) : error;
    });
    await refresh(queryClient, sessionsQuery);
    showToast(t("profile.passwordChanged"));
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={t("profile.changePassword")} onClose={onClose}>
      <Form
        fields={[currentPassword, newPassword]}
        submit={t("account.resetSubmit")}
        onSubmit={change}
      >
        <HiddenUsername />
      </Form>
    </Dialog>
  );
}
