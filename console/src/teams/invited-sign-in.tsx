import { Anchor, Text, Title } from "@mantine/core";
import type { InvitationPreview } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SignInForm } from "../accounts/sign-in/sign-in-form.tsx";
import { SignUpForm } from "../accounts/sign-up-form.tsx";
import { useSessionRefresh } from "../accounts/use-session-refresh.ts";

interface InvitedSignInProps {
  readonly token: string;
  readonly invitation: InvitationPreview;
}

/**
 * The sign-up and sign-in forms for an invited person. Signing up accepts the invitation; after a sign-in, the page has
 * a button that accepts it.
 */
export function InvitedSignIn({ token, invitation: { email, team } }: InvitedSignInProps) {
  const { t } = useTranslation();
  const refresh = useSessionRefresh();
  const [isNew, setIsNew] = useState(true);
  return (
    <>
      <Text size="sm" c="dimmed">
        {t(isNew ? "invitation.signUpText" : "invitation.signInText", { team: team.name })}
      </Text>
      <Title order={2} size="h5">
        {t(isNew ? "account.create" : "account.signIn")}
      </Title>
      {isNew ? (
        <SignUpForm token={token} invitedEmail={email} onSignedIn={refresh} />
      ) : (
        <SignInForm email={email} onSignedIn={refresh} />
      )}
      <Anchor component="button" type="button" size="sm" onClick={() => setIsNew(!isNew)}>
        {t(isNew ? "account.haveAccount" : "account.haveNoAccount")}
      </Anchor>
    </>
  );
}
