import { Alert, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { InvitationMail, TeamDetail } from "@tocsin/sdk";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { messageOf } from "../errors.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Copyable } from "../page/copyable.tsx";
import { addressesIn, type Addresses } from "./addresses.ts";
import { refreshTeams } from "./team-queries.ts";

export interface InvitePeopleProps {
  readonly team: TeamDetail;
  readonly onClose: () => void;
}

/** Result of inviting one address: the link to hand over, or the reason why there is none. */
interface Invited {
  readonly email: string;
  readonly link: string | null;
  readonly mail: InvitationMail;
  readonly problem: string | null;
}

/**
 * Invites people by address, and shows the link for each; what could not be invited stays in the field, and is named.
 */
export function InvitePeople({ team, onClose }: InvitePeopleProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [text, setText] = useState("");
  const [invited, setInvited] = useState<readonly Invited[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const invite = async () => {
    const { emails, unknown } = addressesIn(text);
    setProblem(problemOf({ emails, unknown }, t));
    setInvited([]);
    const left = [...unknown];
    for (const email of emails) {
      const one = await inviteOne(team.id, email);
      setInvited((before) => [...before, one]);
      if (one.link === null) left.push(email);
    }
    setText(left.join("\n"));
    await refreshTeams(queryClient);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t("team.inviteTitle", { name: team.name })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        <Textarea
          data-autofocus
          id="emails"
          label={t("team.emails")}
          description={t("team.emailsHint")}
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          error={problem}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        <ActionButton run={invite}>{t("team.invite")}</ActionButton>
        <div role="status">
          <Stack>
            {invited.map((one) => (
              <InvitedPerson key={one.email} invited={one} />
            ))}
          </Stack>
        </div>
      </Stack>
    </Modal>
  );
}

function problemOf({ emails, unknown }: Addresses, t: TFunction): string | null {
  if (unknown.length > 0) {
    return t("team.notEmails", { count: unknown.length, words: unknown.join(", ") });
  }
  return emails.length === 0 ? t("team.noEmail") : null;
}

async function inviteOne(teamId: string, email: string): Promise<Invited> {
  try {
    const { link, mail } = await client.teams.invite(teamId, { email });
    return { email, link, mail, problem: null };
  } catch (error) {
    return { email, link: null, mail: "off", problem: messageOf(error) };
  }
}

function InvitedPerson({ invited: { email, link, mail, problem } }: { readonly invited: Invited }) {
  const { t } = useTranslation();
  if (link === null) {
    return (
      <Alert color="red" title={email}>
        {problem}
      </Alert>
    );
  }
  return (
    <Stack gap="xs">
      <Text size="sm">{t(`team.invited.${mail}`, { email })}</Text>
      <Copyable name={t("team.linkFor", { email })} text={link} />
    </Stack>
  );
}
