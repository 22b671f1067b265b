import type { Account } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { AccountProvider } from "../../accounts/account-context.ts";
import { VisitorPage } from "../../accounts/visitor-page.tsx";
import { PATHS } from "../../paths.ts";
import { TextLink } from "../../page/text-link.tsx";
import { PhoneSetup } from "./phone-setup.tsx";

/** The page after a sign-in by a pairing: the steps that set up this device. */
export function NextStep({ account }: { readonly account: Account }) {
  const { t } = useTranslation();
  return (
    <AccountProvider value={account}>
      <VisitorPage
        title={t("pairing.hello", { name: account.name })}
        text={t("account.signedInAs", { email: account.email })}
        alternatives={<TextLink to={PATHS.feed}>{t("pairing.toFeed")}</TextLink>}
      >
        <PhoneSetup />
      </VisitorPage>
    </AccountProvider>
  );
}
