import { Badge, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { showToast } from "../../page/toasts.ts";
import { useAccount } from "../account-context.ts";
import { signInMethodsQuery } from "../sign-in/sign-in-methods.ts";
import { accountSignInMethodsQuery } from "./profile-queries.ts";
import { SettingRow } from "./setting-row.tsx";

/** The email address. While it is unverified, a button sends a verification link. */
export function EmailRow({ onChange }: { readonly onChange: () => void }) {
  const { t } = useTranslation();
  const { email } = useAccount();
  const { data: security } = useQuery(accountSignInMethodsQuery);
  const { data: methods } = useQuery(signInMethodsQuery);
  const sendsMail = methods?.sendsMail !== false;
  const isUnverified = security?.isEmailVerified === false;
  const sendVerification = async () => {
    await client.profile.sendVerification();
    showToast(t("profile.verificationSent", { email }));
  };
  return (
    <SettingRow
      title={t("account.email")}
      badge={
        isUnverified && (
          <Badge color="yellow" variant="light" size="sm">
            {t("profile.unconfirmed")}
          </Badge>
        )
      }
      text={
        <>
          <div>{email}</div>
          {isUnverified && (
            <div>{t(sendsMail ? "profile.unconfirmedText" : "profile.unconfirmedNoMail")}</div>
          )}
        </>
      }
    >
      {isUnverified && sendsMail && (
        <ActionButton variant="default" run={sendVerification}>
          {t("profile.sendVerification")}
        </ActionButton>
      )}
      <Button variant="default" onClick={onChange}>
        {t("profile.changeEmail")}
      </Button>
    </SettingRow>
  );
}
