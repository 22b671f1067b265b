import { Alert, Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { Form } from "../page/form.tsx";
import { QueryContent } from "../page/states.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { accountFields } from "./fields.ts";
import { VisitorPage } from "./visitor-page.tsx";
import { methodsQuery } from "./sign-in/sign-in-methods.ts";

/** Requests a link to set a new password. On a server without mail, names the account that can create one. */
export function ForgottenPage() {
  const { t } = useTranslation();
  const methods = useQuery(methodsQuery);
  return (
    <VisitorPage
      title={t("account.newPassword")}
      alternatives={<TextLink to={PATHS.signIn}>{t("account.signInInstead")}</TextLink>}
    >
      <QueryContent query={methods} rows={1}>
        {({ sendsMail }) =>
          sendsMail ? (
            <LinkForm text={t("account.forgottenText")} sent={t("account.linkSent")} />
          ) : (
            <WithoutMail />
          )
        }
      </QueryContent>
    </VisitorPage>
  );
}

/** Refers to the administrator. The only administrator can request a link and read it in the server's log. */
function WithoutMail() {
  const { t } = useTranslation();
  const [isAdmin, setAdmin] = useState(false);
  if (isAdmin) {
    return <LinkForm text={t("account.toLog")} sent={t("account.linkLogged")} />;
  }
  return (
    <>
      <Text>{t("account.forgottenNoMail")}</Text>
      <Text size="sm" c="dimmed">
        {t("account.forgottenNoMailHow")}
      </Text>
      <Anchor component="button" type="button" size="sm" onClick={() => setAdmin(true)}>
        {t("account.administerMyself")}
      </Anchor>
    </>
  );
}

function LinkForm({ text, sent }: { readonly text: string; readonly sent: string }) {
  const { t } = useTranslation();
  const [isSent, setSent] = useState(false);
  const request = async (valueOf: (name: string) => string) => {
    await client.requestPasswordReset({ email: valueOf("email") });
    setSent(true);
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      <div role="status">{isSent && <Alert color="green">{sent}</Alert>}</div>
      <Form fields={[accountFields().email]} submit={t("account.sendLink")} onSubmit={request} />
    </>
  );
}
