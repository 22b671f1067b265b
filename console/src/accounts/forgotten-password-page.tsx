import { Alert, Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { Form } from "../page/form.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { createAccountFields } from "./account-fields.ts";
import { VisitorPage } from "./visitor-page.tsx";
import { signInMethodsQuery } from "./sign-in/sign-in-methods.ts";

/** The page that requests a link to set a new password. On a server without email, it says who can create the link. */
export function ForgottenPasswordPage() {
  const { t } = useTranslation();
  const methods = useQuery(signInMethodsQuery);
  return (
    <VisitorPage
      title={t("account.newPassword")}
      alternatives={<TextLink to={PATHS.signIn}>{t("account.signInInstead")}</TextLink>}
    >
      <QueryContent query={methods} rows={1}>
        {({ sendsMail }) =>
          sendsMail ? (
            <ResetLinkForm
              text={t("account.forgotPasswordText")}
              sentText={t("account.linkSent")}
            />
          ) : (
            <NoMailAdvice />
          )
        }
      </QueryContent>
    </VisitorPage>
  );
}

/** Advice to ask the administrator. An administrator can request a link and read it in the server's log. */
function NoMailAdvice() {
  const { t } = useTranslation();
  const [claimsToBeAdmin, setClaimsToBeAdmin] = useState(false);
  if (claimsToBeAdmin) {
    return <ResetLinkForm text={t("account.linkGoesToLog")} sentText={t("account.linkLogged")} />;
  }
  return (
    <>
      <Text>{t("account.forgotPasswordNoMail")}</Text>
      <Text size="sm" c="dimmed">
        {t("account.forgotPasswordNoMailHow")}
      </Text>
      <Anchor component="button" type="button" size="sm" onClick={() => setClaimsToBeAdmin(true)}>
        {t("account.iAmAdministrator")}
      </Anchor>
    </>
  );
}

interface ResetLinkFormProps {
  readonly text: string;
  /** Message after the request. It does not reveal whether the account exists. */
  readonly sentText: string;
}

function ResetLinkForm({ text, sentText }: ResetLinkFormProps) {
  const { t } = useTranslation();
  const [isSent, setIsSent] = useState(false);
  const requestLink = async (getValue: (name: string) => string) => {
    await client.requestPasswordReset({ email: getValue("email") });
    setIsSent(true);
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      <div role="status">{isSent && <Alert color="green">{sentText}</Alert>}</div>
      <Form
        fields={[createAccountFields().email]}
        submitLabel={t("account.sendLink")}
        onSubmit={requestLink}
      />
    </>
  );
}
