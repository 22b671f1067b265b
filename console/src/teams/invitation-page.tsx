import { Alert, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Account, InvitationPreview } from "@tocsin/sdk";
import i18next from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { VisitorPage } from "../accounts/visitor-page.tsx";
import { AccountProvider } from "../accounts/account-context.ts";
import { sessionQuery } from "../accounts/session.ts";
import { client } from "../client.ts";
import { getErrorMessage } from "../errors.ts";
import { getLinkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { TextLink } from "../page/text-link.tsx";
import { ReceiverStepList } from "../notifications/receiver-step-list.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { PATHS } from "../paths.ts";
import { InvitationMails } from "./invitation-mails.tsx";
import { InvitedSignIn } from "./invited-sign-in.tsx";
import { DeadLink, ExpiredInvitation, IncompleteLink, WrongAccount } from "./invitation-states.tsx";
import { createInvitationQuery, refreshInvitation, type LinkedInvitation } from "./team-queries.ts";

/** An invitation to a team. Signing up accepts it; a signed-in account accepts it with a button. */
export function InvitationPage() {
  const { t } = useTranslation();
  const token = getLinkToken();
  const { data: account = null } = useQuery(sessionQuery);
  const invitation = useQuery({
    ...createInvitationQuery(token, account?.id ?? null),
    enabled: token !== "",
  });
  const joinedTeam = invitation.data?.state === "accepted" ? invitation.data.team : null;
  return (
    <VisitorPage title={formatTitle(token === "" ? undefined : invitation.data)}>
      <div role="status">
        {joinedTeam !== null && (
          <Text size="sm">{t("invitation.accepted", { team: joinedTeam.name })}</Text>
        )}
      </div>
      {token === "" ? (
        <IncompleteLink />
      ) : (
        <QueryContent query={invitation} rows={1}>
          {(openedInvitation) => (
            <>
              <InvitationContent token={token} account={account} invitation={openedInvitation} />
              {openedInvitation !== null && openedInvitation.mails !== null && (
                <InvitationMails
                  token={token}
                  email={openedInvitation.email}
                  mails={openedInvitation.mails}
                />
              )}
            </>
          )}
        </QueryContent>
      )}
    </VisitorPage>
  );
}

interface InvitationContentProps {
  readonly token: string;
  readonly account: Account | null;
  readonly invitation: LinkedInvitation | null;
}

/** The actions on the invitation, which depend on its state and the signed-in account. */
function InvitationContent({ token, account, invitation }: InvitationContentProps) {
  if (invitation === null || invitation.state === "over")
    return <DeadLink isSignedIn={account !== null} />;
  if (invitation.state === "expired") return <ExpiredInvitation invitation={invitation} />;
  if (account === null) return <InvitedSignIn token={token} invitation={invitation} />;
  if (invitation.state === "accepted")
    return <MemberSteps account={account} invitation={invitation} />;
  return account.email.toLowerCase() === invitation.email ? (
    <AcceptButton token={token} invitation={invitation} />
  ) : (
    <WrongAccount account={account} invitation={invitation} />
  );
}

/** Returns a heading for the state: undefined means that the invitation is loading or missing, null is a dead link. */
function formatTitle(invitation: LinkedInvitation | null | undefined): string {
  if (invitation === undefined) return i18next.t("invitation.title");
  if (invitation === null || invitation.state === "over") return i18next.t("invitation.dead");
  const { team, invitedBy, state } = invitation;
  if (state === "accepted") return i18next.t("invitation.memberTitle", { team: team.name });
  if (state === "expired") return i18next.t("invitation.expired", { team: team.name });
  return i18next.t("invitation.invites", { name: invitedBy.name, team: team.name });
}

interface AcceptButtonProps {
  readonly token: string;
  readonly invitation: InvitationPreview;
}

function AcceptButton({ token, invitation }: AcceptButtonProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState("");
  const accept = async () => {
    setProblem("");
    await client.invitations.acceptToken(token);
    await refreshInvitation(queryClient);
  };
  return (
    <>
      <Text size="sm">{t("invitation.text", { team: invitation.team.name })}</Text>
      <Text size="sm" c="dimmed">
        {t("account.signedInAs", { email: invitation.email })}
      </Text>
      <div role="alert">{problem !== "" && <Alert color="red">{problem}</Alert>}</div>
      <ActionButton size="md" run={accept} onError={(error) => setProblem(getErrorMessage(error))}>
        {t("invitation.accept")}
      </ActionButton>
    </>
  );
}

/** The next steps of a new team member. */
function MemberSteps({
  account,
  invitation: { team },
}: {
  readonly account: Account;
  readonly invitation: InvitationPreview;
}) {
  const { t } = useTranslation();
  return (
    <AccountProvider value={account}>
      <ReceiverStepList teamName={team.name} />
      <ButtonLink to={PATHS.feed} variant="default">
        {t("shell.home")}
      </ButtonLink>
      <TextLink to={PATHS.teams}>{t("invitation.toTeams")}</TextLink>
    </AccountProvider>
  );
}
