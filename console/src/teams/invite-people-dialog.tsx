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
type InvitationResult =
  | {
      readonly kind: "invited";
      readonly email: string;
      readonly link: string;
      readonly mail: InvitationMail;
    }
  | { readonly kind: "failed"; readonly email: string; readonly errorMessage: string };

/**
 * A dialog that invites people by email address and shows a link for each. Addresses that failed, and words that are
 * not addresses, stay in the field.
 */
export function InvitePeopleDialog({ team, onClose }: InvitePeopleDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [text, setText] = useState("");
  const [results, setResults] = useState<readonly InvitationResult[]>([]);
  const [fieldError, setFieldError] = useState<string | null>(null);
  const invite = async () => {
    const { emails, unrecognizedWords } = parseEmails(text);
    setFieldError(findFieldError({ emails, unrecognizedWords }, t));
    setResults([]);
    const remainingWords = [...unrecognizedWords];
    for (const email of emails) {
      const result = await inviteByEmail(team.id, email);
      setResults((previous) => [...previous, result]);
      if (result.kind === "failed") remainingWords.push(email);
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
          error={fieldError}
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

function findFieldError({ emails, unrecognizedWords }: ParsedEmails, t: TFunction): string | null {
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
    return { kind: "invited", email, link, mail };
  } catch (error) {
    return { kind: "failed", email, errorMessage: getErrorMessage(error) };
  }
}

function InvitationResultItem({ result }: { readonly result: InvitationResult }) {
  const { t } = useTranslation();
  const { email } = result;
  if (result.kind === "failed") {
    return (
      <Alert color="red" title={email}>
        {result.errorMessage}
      </Alert>
    );
  }
  return (
    <Stack gap="xs">
      <Text size="sm">{t(`team.invited.${result.mail}`, { email })}</Text>
      <CopyableText name={t("team.linkFor", { email })} text={result.link} />
    </Stack>
  );
}
