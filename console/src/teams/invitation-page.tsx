import { Alert, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Account, LookedAtInvitation } from "@tocsin/sdk";
import i18next from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Outside } from "../accounts/outside.tsx";
import { AccountProvider } from "../accounts/account-context.ts";
import { sessionQuery } from "../accounts/session.ts";
import { client } from "../client.ts";
import { messageOf } from "../errors.ts";
import { linkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { TextLink } from "../page/text-link.tsx";
import { ReaderSteps } from "../notifications/reader-steps.tsx";
import { Loaded } from "../page/states.tsx";
import { PATHS } from "../paths.ts";
import { InvitationMails } from "./invitation-mails.tsx";
import { InvitedSignIn } from "./invited-sign-in.tsx";
import { Dead, Expired, Incomplete, WrongAccount } from "./invitation-states.tsx";
import { invitationQuery, lookAgain, type LinkedInvitation } from "./team-queries.ts";

/** An invitation to a team: a person who signs up by it is a member at once; a signed-in one accepts by its button. */
export function InvitationPage() {
  const { t } = useTranslation();
  const token = linkToken();
  const { data: account = null } = useQuery(sessionQuery);
  const invitation = useQuery({
    ...invitationQuery(token, account?.id ?? null),
    enabled: token !== "",
  });
  const joined = invitation.data?.state === "accepted" ? invitation.data.team : null;
  return (
    <Outside title={titleOf(token === "" ? undefined : invitation.data)}>
      <div role="status">
        {joined !== null && (
          <Text size="sm">{t("invitation.accepted", { team: joined.name })}</Text>
        )}
      </div>
      {token === "" ? (
        <Incomplete />
      ) : (
        <Loaded query={invitation} rows={1}>
          {(found) => (
            <>
              <Answer token={token} account={account} found={found} />
              {found !== null && found.mails !== null && (
                <InvitationMails token={token} email={found.email} mails={found.mails} />
              )}
            </>
          )}
        </Loaded>
      )}
    </Outside>
  );
}

interface AnswerProps {
  readonly token: string;
  readonly account: Account | null;
  readonly found: LinkedInvitation | null;
}

/** Actions on the invitation for the person who opened the link. */
function Answer({ token, account, found }: AnswerProps) {
  if (found === null || found.state === "over") return <Dead isSignedIn={account !== null} />;
  if (found.state === "expired") return <Expired invitation={found} />;
  if (account === null) return <InvitedSignIn token={token} invitation={found} />;
  if (found.state === "accepted") return <Member account={account} invitation={found} />;
  return account.email.toLowerCase() === found.email ? (
    <Accept token={token} invitation={found} />
  ) : (
    <WrongAccount account={account} invitation={found} />
  );
}

/** Returns a heading that names the state; undefined is an invitation not known (yet), null a dead link. */
function titleOf(invitation: LinkedInvitation | null | undefined): string {
  if (invitation === undefined) return i18next.t("invitation.title");
  if (invitation === null || invitation.state === "over") return i18next.t("invitation.dead");
  const { team, invitedBy, state } = invitation;
  if (state === "accepted") return i18next.t("invitation.memberTitle", { team: team.name });
  if (state === "expired") return i18next.t("invitation.expired", { team: team.name });
  return i18next.t("invitation.invites", { name: invitedBy.name, team: team.name });
}

interface AcceptProps {
  readonly token: string;
  readonly invitation: LookedAtInvitation;
}

function Accept({ token, invitation }: AcceptProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState("");
  const accept = async () => {
    setProblem("");
    await client.invitations.acceptToken(token);
    await lookAgain(queryClient);
  };
  return (
    <>
      <Text size="sm">{t("invitation.text", { team: invitation.team.name })}</Text>
      <Text size="sm" c="dimmed">
        {t("account.signedInAs", { email: invitation.email })}
      </Text>
      <div role="alert">{problem !== "" && <Alert color="red">{problem}</Alert>}</div>
      <ActionButton size="md" run={accept} onError={(error) => setProblem(messageOf(error))}>
        {t("invitation.accept")}
      </ActionButton>
    </>
  );
}

/** Next steps for the team's new member. */
function Member({
  account,
  invitation: { team },
}: {
  readonly account: Account;
  readonly invitation: LookedAtInvitation;
}) {
  const { t } = useTranslation();
  return (
    <AccountProvider value={account}>
      <ReaderSteps team={team.name} />
      <ButtonLink to={PATHS.feed} variant="default">
        {t("shell.home")}
      </ButtonLink>
      <TextLink to={PATHS.teams}>{t("invitation.toTeams")}</TextLink>
    </AccountProvider>
  );
}
