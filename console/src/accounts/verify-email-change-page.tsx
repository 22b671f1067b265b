import { Alert } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { messageOf } from "../errors.ts";
import { linkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";
import { IncompleteLink } from "./incomplete-link.tsx";
import { VisitorPage } from "./visitor-page.tsx";
import { useSessionRefresh } from "./use-session-refresh.ts";

/** Confirms the account's new e-mail address with a button: a program that only opens links must not change it. */
export function VerifyEmailChangePage() {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const [isDone, setDone] = useState(false);
  const [problem, setProblem] = useState("");
  const token = linkToken();
  if (token === "") return <IncompleteLink title={t("account.newEmail")} />;
  const change = async () => {
    setProblem("");
    await client.verifyEmailChange({ token });
    setDone(true);
    await refresh();
  };
  return (
    <VisitorPage title={t("account.newEmail")} text={t("account.newEmailText")}>
      <div role="status">{isDone && <Alert color="green">{t("account.newEmailDone")}</Alert>}</div>
      <div role="alert">{problem !== "" && <Alert color="red">{problem}</Alert>}</div>
      {isDone ? (
        <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
      ) : (
        <ActionButton size="md" run={change} onError={(error) => setProblem(messageOf(error))}>
          {t("account.newEmailSubmit")}
        </ActionButton>
      )}
    </VisitorPage>
  );
}
