import { Alert } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { hasErrorCode, getErrorMessage } from "../errors.ts";
import { getLinkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";
import { IncompleteLinkPage } from "./incomplete-link-page.tsx";
import { VisitorPage } from "./visitor-page.tsx";

/**
 * The page that verifies an email address. It needs a click, because a program that only opens links must not verify
 * the address.
 */
export function VerifyEmailPage() {
  const { t } = useTranslation();
  const [isDone, setIsDone] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const token = getLinkToken();
  if (token === "") return <IncompleteLinkPage title={t("account.verify")} />;
  const verifyEmail = async () => {
    setError(null);
    await client.verifyEmail({ token });
    setIsDone(true);
  };
  return (
    <VisitorPage title={t("account.verify")} text={t("account.verifyText")}>
      <div role="status">{isDone && <Alert color="green">{t("account.verified")}</Alert>}</div>
      <div role="alert">
        {error !== null && <Alert color="red">{getErrorMessage(error)}</Alert>}
      </div>
      {isDone ? (
        <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
      ) : hasErrorCode(error, "expired") ? (
        <ButtonLink to={PATHS.settings}>{t("account.verifyAgain")}</ButtonLink>
      ) : (
        <ActionButton size="md" run={verifyEmail} onError={setError}>
          {t("account.verifySubmit")}
        </ActionButton>
      )}
    </VisitorPage>
  );
}
