import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { RecipientMails } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { changeMailSubscription } from "./team-queries.ts";
import classes from "./invitation-mails.module.css";

interface InvitationMailsProps {
  readonly token: string;
  readonly email: string;
  readonly mails: RecipientMails;
}

/**
 * A button that unsubscribes the link's recipient from invitation emails or allows them again. One button does both, to
 * keep the focus.
 */
export function InvitationMails({ token, email, mails }: InvitationMailsProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isUnsubscribed = mails === "refused";
  const toggleSubscription = () =>
    changeMailSubscription(queryClient, { token, mails: isUnsubscribed ? "sent" : "refused" });
  return (
    <div className={classes["mails"]}>
      <div role="status">
        {isUnsubscribed && <Text size="sm">{t("invitation.mailsRefused", { email })}</Text>}
      </div>
      <ActionButton variant="subtle" size="compact-sm" fw={400} run={toggleSubscription}>
        {t(isUnsubscribed ? "invitation.allowMails" : "invitation.refuseMails")}
      </ActionButton>
    </div>
  );
}
