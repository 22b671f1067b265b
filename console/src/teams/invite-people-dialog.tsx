import { Alert, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { InvitationMail, TeamDetail } from "@tocsin/sdk";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { getErrorMessage } from "../errors.ts";
import { ActionButton } from "../page/action-button.tsx";
import { CopyableText } from "../page/copyable-text.tsx";
import { parseEmails, type ParsedEmails } from "./parse-emails.ts";
import { refreshTeamsAndInvitations } from "./team-queries.ts";

interface InvitePeopleDialogProps {
  readonly team: TeamDetail;
  readonly onClose: () => void;
}

/** The result of inviting one email address: the link to pass on, or an error message. */
interface InvitationResult {
  readonly email: string;
  readonly link: string | null;
  readonly mail: InvitationMail;
  readonly problem: string | null;
}

/** A dialog that invites people by email address and shows a link for each. Addresses that failed stay in the field. */
export function InvitePeopleDialog({ team, onClose }: InvitePeopleDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [text, setText] = useState("");
  const [results, setResults] = useState<readonly InvitationResult[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const invite = async () => {
    const { emails, unrecognizedWords } = parseEmails(text);
    setProblem(findProblem({ emails, unrecognizedWords }, t));
    setResults([]);
    const remainingWords = [...unrecognizedWords];
    for (const email of emails) {
      const result = await inviteByEmail(team.id, email);
      setResults((previous) => [...previous, result]);
      if (result.link === null) remainingWords.push(email);
    }
    setText(remainingWords.join("\n"));
    await refreshTeamsAndInvitations(queryClient);
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
            {results.map((result) => (
              <InvitationResultItem key={result.email} result={result} />
            ))}
          </Stack>
        </div>
      </Stack>
    </Modal>
  );
}

function findProblem({ emails, unrecognizedWords }: ParsedEmails, t: TFunction): string | null {
  if (unrecognizedWords.length > 0) {
    return t("team.notEmails", {
      count: unrecognizedWords.length,
      words: unrecognizedWords.join(", "),
    });
  }
  return emails.length === 0 ? t("team.noEmail") : null;
}

async function inviteByEmail(teamId: string, email: string): Promise<InvitationResult> {
  try {
    const { link, mail } = await client.teams.invite(teamId, { email });
    return { email, link, mail, problem: null };
  } catch (error) {
    return { email, link: null, mail: "off", problem: getErrorMessage(error) };
  }
}

function InvitationResultItem({
  result: { email, link, mail, problem },
}: {
  readonly result: InvitationResult;
}) {
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
      <CopyableText name={t("team.linkFor", { email })} text={link} />
    </Stack>
  );
}
