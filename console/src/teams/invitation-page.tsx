import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Account, LookedAtInvitation } from "@tocsin/sdk";
import i18next from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Outside } from "../accounts/outside.tsx";
import { sessionQuery } from "../accounts/session.ts";
import { client } from "../client.ts";
import { messageOf } from "../errors.ts";
import { linkToken } from "../link-token.ts";
import { ActionButton } from "../page/action-button.tsx";
import { ButtonLink } from "../page/button-link.tsx";
import { Loaded } from "../page/states.tsx";
import { PATHS } from "../paths.ts";
import { InvitationMails } from "./invitation-mails.tsx";
import { InvitedSignIn } from "./invited-sign-in.tsx";
import { AlreadyMember, Dead, Expired, Incomplete, WrongAccount } from "./invitation-states.tsx";
import { invitationQuery, type LinkedInvitation } from "./team-queries.ts";

/** An invitation to a team; only its button accepts, for an account that is signed in. */
export function InvitationPage() {
  const token = linkToken();
  const { data: account = null } = useQuery(sessionQuery);
  const invitation = useQuery({
    ...invitationQuery(token, account?.id ?? null),
    enabled: token !== "",
  });
  return (
    <Outside title={titleOf(token === "" ? undefined : invitation.data)}>
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

/** What the one who opened the link can do about the invitation. */
function Answer({ token, account, found }: AnswerProps) {
  if (found === null || found.state === "over") return <Dead isSignedIn={account !== null} />;
  if (found.state === "accepted") return <AlreadyMember invitation={found} />;
  if (found.state === "expired") return <Expired invitation={found} />;
  if (account === null) return <InvitedSignIn token={token} invitation={found} />;
  return account.email.toLowerCase() === found.email ? (
    <Accept token={token} invitation={found} />
  ) : (
    <WrongAccount account={account} invitation={found} />
  );
}

/** The heading tells the state; undefined for an invitation that is not known (yet), null for a dead link. */
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
  const [joined, setJoined] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const [problem, setProblem] = useState("");
  const accept = async () => {
    setProblem("");
    setJoined(await client.invitations.acceptToken(token));
  };
  return (
    <>
      <Text size="sm">{t("invitation.text")}</Text>
      <Text size="sm" c="dimmed">
        {t("account.signedInAs", { email: invitation.email })}
      </Text>
      <div role="status">
        {joined !== null && (
          <Alert color="green">{t("invitation.accepted", { team: joined.name })}</Alert>
        )}
      </div>
      <div role="alert">{problem !== "" && <Alert color="red">{problem}</Alert>}</div>
      {joined === null ? (
        <ActionButton size="md" run={accept} onError={(error) => setProblem(messageOf(error))}>
          {t("invitation.accept")}
        </ActionButton>
      ) : (
        <>
          <ButtonLink to={PATHS.feed}>{t("shell.home")}</ButtonLink>
          <ButtonLink to={PATHS.team} params={{ id: joined.id }} variant="default">
            {t("team.openOf", { name: joined.name })}
          </ButtonLink>
        </>
      )}
    </>
  );
}
