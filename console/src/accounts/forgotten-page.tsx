import { Alert } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { Form } from "../page/form.tsx";
import { TextLink } from "../page/text-link.tsx";
import { PATHS } from "../paths.ts";
import { accountFields } from "./fields.ts";
import { Outside } from "./outside.tsx";

/** Asks for a link to a new password. */
export function ForgottenPage() {
  const { t } = useTranslation();
  const [isSent, setSent] = useState(false);
  const request = async (valueOf: (name: string) => string) => {
    await client.requestPasswordReset({ email: valueOf("email") });
    setSent(true);
  };
  return (
    <Outside
      title={t("account.newPassword")}
      text={t("account.forgottenText")}
      others={<TextLink to={PATHS.signIn}>{t("account.signInInstead")}</TextLink>}
    >
      <div role="status">{isSent && <Alert color="green">{t("account.linkSent")}</Alert>}</div>
      <Form fields={[accountFields().email]} submit={t("account.sendLink")} onSubmit={request} />
    </Outside>
  );
}
