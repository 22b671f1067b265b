import { Text } from "@mantine/core";
import type { Account, LookedAtInvitation } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useSignOutHere } from "../accounts/sign-out.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { PATHS } from "../paths.ts";

interface StateProps {
  readonly invitation: LookedAtInvitation;
}

/** The link lost its token on the way. */
export function Incomplete() {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">{t("invitation.incomplete")}</Text>
      <Home />
    </>
  );
}

/** The link opens nothing: it was used, replaced or withdrawn, and the page does not reveal which. */
export function Dead({ isSignedIn }: { readonly isSignedIn: boolean }) {
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

/** The seven days are over; the inviter can invite again. */
export function Expired({ invitation: { invitedBy, email } }: StateProps) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">{t("invitation.expiredText", { name: invitedBy.name, email })}</Text>
      <Home />
    </>
  );
}

/** The signed-in account has an address that was not invited. */
export function WrongAccount({
  account,
  invitation: { email, invitedBy },
}: StateProps & { readonly account: Account }) {
  const { t } = useTranslation();
  const signOut = useSignOutHere();
  return (
    <>
      <Text size="sm">{t("invitation.wrongAccount", { mine: account.email, email })}</Text>
      <Text size="sm" c="dimmed">
        {t("invitation.wrongAccountText", { mine: account.email, name: invitedBy.name })}
      </Text>
      <ActionButton size="md" run={() => signOut(account.id)}>
        {t("invitation.switch")}
      </ActionButton>
      <Home />
    </>
  );
}

function Home() {
  const { t } = useTranslation();
  return (
    <ButtonLink to={PATHS.feed} variant="default">
      {t("shell.home")}
    </ButtonLink>
  );
}
