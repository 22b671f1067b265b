import { Alert, Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { Form } from "../page/form.tsx";
import { Loaded } from "../page/states.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { accountFields } from "./fields.ts";
import { Outside } from "./outside.tsx";
import { methodsQuery } from "./sign-in/oidc-way.ts";

/** Requests a link for a new password; on a server without mail, says who can make one. */
export function ForgottenPage() {
  const { t } = useTranslation();
  const methods = useQuery(methodsQuery);
  return (
    <Outside
      title={t("account.newPassword")}
      others={<TextLink to={PATHS.signIn}>{t("account.signInInstead")}</TextLink>}
    >
      <Loaded query={methods} rows={1}>
        {({ sendsMail }) =>
          sendsMail ? (
            <LinkForm text={t("account.forgottenText")} sent={t("account.linkSent")} />
          ) : (
            <WithoutMail />
          )
        }
      </Loaded>
    </Outside>
  );
}

/** The only administrator has no one else to ask, but can read the server's log. */
function WithoutMail() {
  const { t } = useTranslation();
  const [isAdministrator, setAdministrator] = useState(false);
  if (isAdministrator) {
    return <LinkForm text={t("account.toLog")} sent={t("account.linkLogged")} />;
  }
  return (
    <>
      <Text>{t("account.forgottenNoMail")}</Text>
      <Text size="sm" c="dimmed">
        {t("account.forgottenNoMailHow")}
      </Text>
      <Anchor component="button" type="button" size="sm" onClick={() => setAdministrator(true)}>
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
