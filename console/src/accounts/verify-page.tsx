import { Alert } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { isRefusedAs, messageOf } from "../errors.ts";
import { linkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";
import { IncompleteLink } from "./incomplete-link.tsx";
import { VisitorPage } from "./visitor-page.tsx";

/** Confirms an e-mail address with a button: a program that only opens links must not confirm it. */
export function VerifyPage() {
  const { t } = useTranslation();
  const [isDone, setDone] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const token = linkToken();
  if (token === "") return <IncompleteLink title={t("account.verify")} />;
  const verify = async () => {
    setError(null);
    await client.verifyEmail({ token });
    setDone(true);
  };
  return (
    <VisitorPage title={t("account.verify")} text={t("account.verifyText")}>
      <div role="status">{isDone && <Alert color="green">{t("account.verified")}</Alert>}</div>
      <div role="alert">{error !== null && <Alert color="red">{messageOf(error)}</Alert>}</div>
      {isDone ? (
        <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
      ) : isRefusedAs(error, "expired") ? (
        <ButtonLink to={PATHS.settings}>{t("account.verifyAgain")}</ButtonLink>
      ) : (
        <ActionButton size="md" run={verify} onError={setError}>
          {t("account.verifySubmit")}
        </ActionButton>
      )}
    </VisitorPage>
  );
}
