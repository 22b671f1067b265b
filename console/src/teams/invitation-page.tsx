import { Alert, Anchor, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Outside } from "../accounts/outside.tsx";
import { sessionQuery } from "../accounts/session.ts";
import { SignInForm } from "../accounts/sign-in/sign-in-form.tsx";
import { SignUpForm } from "../accounts/sign-up-form.tsx";
import { useSessionRefresh } from "../accounts/use-session-refresh.ts";
import { client } from "../client.ts";
import { messageOf } from "../errors.ts";
import { linkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";

/** An invitation to a team; only its button accepts, for an account that is signed in. */
export function InvitationPage() {
  const { t } = useTranslation();
  const token = linkToken();
  const { data: account } = useQuery(sessionQuery);
  return (
    <Outside title={t("invitation.title")}>
      {token === "" ? (
        <>
          <Text>{t("invitation.incomplete")}</Text>
          <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
        </>
      ) : account === null || account === undefined ? (
        <SignedOut token={token} />
      ) : (
        <SignedIn token={token} email={account.email} />
      )}
    </Outside>
  );
}

function SignedIn({ token, email }: { readonly token: string; readonly email: string }) {
  const { t } = useTranslation();
  const [team, setTeam] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const accept = async () => {
    setProblem("");
    const { name } = await client.invitations.acceptToken(token);
    setTeam(name);
  };
  return (
    <>
      <Text size="sm">{t("invitation.text")}</Text>
      <Text size="sm" c="dimmed">
        {t("account.signedInAs", { email })}
      </Text>
      <div role="status">
        {team !== null && <Alert color="green">{t("invitation.accepted", { team })}</Alert>}
      </div>
      <div role="alert">{problem !== "" && <Alert color="red">{problem}</Alert>}</div>
      {team === null ? (
        <ActionButton size="md" run={accept} onError={(error) => setProblem(messageOf(error))}>
          {t("invitation.accept")}
        </ActionButton>
      ) : (
        <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
      )}
    </>
  );
}

/** Signing in or up uses nothing up: the invitation is then accepted by its button. */
function SignedOut({ token }: { readonly token: string }) {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const [isNew, setNew] = useState(true);
  return (
    <>
      <Text size="sm" c="dimmed">
        {t("invitation.signedOutText")}
      </Text>
      <Title order={2} size="h5">
        {t(isNew ? "account.create" : "account.signIn")}
      </Title>
      {isNew ? (
        <SignUpForm token={token} onSignedIn={refresh} />
      ) : (
        <SignInForm onSignedIn={refresh} />
      )}
      <Anchor component="button" type="button" size="sm" onClick={() => setNew(!isNew)}>
        {t(isNew ? "account.haveAccount" : "account.haveNoAccount")}
      </Anchor>
    </>
  );
}
