import { Alert } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { getErrorMessage } from "../errors.ts";
import { getLinkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";
import { IncompleteLinkPage } from "./incomplete-link-page.tsx";
import { VisitorPage } from "./visitor-page.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/**
 * The page that verifies a new email address. It needs a click, because a program that only opens links must not change
 * the address.
 */
export function VerifyEmailChangePage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const [isDone, setIsDone] = useState(false);
  const [problem, setProblem] = useState("");
  const token = getLinkToken();
  if (token === "") return <IncompleteLinkPage title={t("account.newEmail")} />;
  const changeEmail = async () => {
    setProblem("");
    await client.verifyEmailChange({ token });
    setIsDone(true);
    await refresh();
  };
  return (
    <VisitorPage title={t("account.newEmail")} text={t("account.newEmailText")}>
      <div role="status">{isDone && <Alert color="green">{t("account.newEmailDone")}</Alert>}</div>
      <div role="alert">{problem !== "" && <Alert color="red">{problem}</Alert>}</div>
      {isDone ? (
        <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
      ) : (
        <ActionButton
          size="md"
          run={changeEmail}
          onError={(error) => setProblem(getErrorMessage(error))}
        >
          {t("account.newEmailSubmit")}
        </ActionButton>
      )}
    </VisitorPage>
  );
}
