import { Alert } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { getLinkToken } from "../link-token.ts";
import { ButtonLink } from "../page/button-link.tsx";
import { Form } from "../page/form.tsx";
import { PATHS } from "../paths.ts";
import { createAccountFields } from "./account-fields.ts";
import { IncompleteLinkPage } from "./incomplete-link-page.tsx";
import { VisitorPage } from "./visitor-page.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** The page of a password reset link, which sets a new password. */
export function ResetPasswordPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const [isDone, setIsDone] = useState(false);
  const token = getLinkToken();
  if (token === "") return <IncompleteLinkPage title={t("account.reset")} />;
  const resetPassword = async (getValue: (name: string) => string) => {
    await client.resetPassword({ token, newPassword: getValue("newPassword") });
    setIsDone(true);
    await refresh();
  };
  return (
    <VisitorPage title={t("account.reset")}>
      <div role="status">{isDone && <Alert color="green">{t("account.resetDone")}</Alert>}</div>
      {isDone ? (
        <ButtonLink to={PATHS.signIn}>{t("account.signIn")}</ButtonLink>
      ) : (
        <Form
          fields={[createAccountFields().newPassword]}
          submitLabel={t("account.resetSubmit")}
          onSubmit={resetPassword}
        />
      )}
    </VisitorPage>
  );
}
