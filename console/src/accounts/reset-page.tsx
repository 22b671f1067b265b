import { Alert } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { linkToken } from "../link-token.ts";
import { ButtonLink } from "../page/button-link.tsx";
import { Form } from "../page/form.tsx";
import { PATHS } from "../paths.ts";
import { accountFields } from "./fields.ts";
import { IncompleteLink } from "./incomplete-link.tsx";
import { VisitorPage } from "./visitor-page.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** Sets a new password. */
export function ResetPage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const [isDone, setDone] = useState(false);
  const token = linkToken();
  if (token === "") return <IncompleteLink title={t("account.reset")} />;
  const reset = async (valueOf: (name: string) => string) => {
    await client.resetPassword({ token, newPassword: valueOf("newPassword") });
    setDone(true);
    await refresh();
  };
  return (
    <VisitorPage title={t("account.reset")}>
      <div role="status">{isDone && <Alert color="green">{t("account.resetDone")}</Alert>}</div>
      {isDone ? (
        <ButtonLink to={PATHS.signIn}>{t("account.signIn")}</ButtonLink>
      ) : (
        <Form
          fields={[accountFields().newPassword]}
          submit={t("account.resetSubmit")}
          onSubmit={reset}
        />
      )}
    </VisitorPage>
  );
}
