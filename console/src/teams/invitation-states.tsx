import { Text } from "@mantine/core";
import type { Account, InvitationPreview } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useSignOutInPlace } from "../accounts/sign-out.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";

interface InvitationStateProps {
  readonly invitation: InvitationPreview;
}

/** The state of a link without a token. */
export function IncompleteLink() {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">{t("invitation.incomplete")}</Text>
      <HomeLink />
    </>
  );
}

/** The state of a link that was used, replaced or revoked, or never existed. The page does not reveal which. */
export function DeadLink({ isSignedIn }: { readonly isSignedIn: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">
        {t(isSignedIn ? "invitation.deadSignedIn" : "invitation.deadSignedOut")}
      </Text>
      {isSignedIn ? (
        <ButtonLink to={PATHS.teams}>{t("invitation.toTeams")}</ButtonLink>
      ) : (
        <ButtonLink to={PATHS.signIn}>{t("account.signIn")}</ButtonLink>
      )}
    </>
  );
}

/** The state of an invitation after seven days. The inviter can send a new one. */
export function ExpiredInvitation({ invitation: { invitedBy, email } }: InvitationStateProps) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">{t("invitation.expiredText", { name: invitedBy.name, email })}</Text>
      <HomeLink />
    </>
  );
}

/** The state if the signed-in account is not the invited one. */
export function WrongAccount({
  account,
  invitation: { email, invitedBy },
}: InvitationStateProps & { readonly account: Account }) {
  const { t } = useTranslation();
  const signOut = useSignOutInPlace();
  return (
    <>
      <Text size="sm">{t("invitation.wrongAccount", { ownEmail: account.email, email })}</Text>
      <Text size="sm" c="dimmed">
        {t("invitation.wrongAccountText", { ownEmail: account.email, name: invitedBy.name })}
      </Text>
      <ActionButton size="md" run={() => signOut(account.id)}>
        {t("invitation.switch")}
      </ActionButton>
      <HomeLink />
    </>
  );
}

function HomeLink() {
  const { t } = useTranslation();
  return (
    <ButtonLink to={PATHS.feed} variant="default">
      {t("shell.home")}
    </ButtonLink>
  );
}
