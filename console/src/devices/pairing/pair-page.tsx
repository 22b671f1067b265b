import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import type { Account, PairingProof } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AccountProvider } from "../../accounts/account-context.ts";
import { Outside } from "../../accounts/outside.tsx";
import { sessionQuery } from "../../accounts/session.ts";
import { messageOf } from "../../errors.ts";
import { linkToken } from "../../link-token.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { Form } from "../../page/form.tsx";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { recall } from "../registered.ts";
import { isOver } from "./over.ts";
import { ThisPhone } from "./this-phone.tsx";
import { useOpening } from "./use-opening.ts";
import { usePair } from "./use-pair.ts";

/** The page that a pairing link opens, and on which its code is typed. */
export function AddPage() {
  const { t } = useTranslation();
  const { data: account } = useQuery(sessionQuery);
  const [isDeclined, setDeclined] = useState(false);
  const token = linkToken();
  if (account !== null && account !== undefined) return <ComeIn account={account} />;
  return (
    <Outside
      title={t("pairing.addTitle")}
      text={t(token === "" || isDeclined ? "pairing.typeText" : "pairing.linkText")}
      others={<TextLink to={PATHS.signIn}>{t("pairing.password")}</TextLink>}
    >
      {token === "" || isDeclined ? (
        <TypeCode />
      ) : (
        <ByLink token={token} onOver={() => setDeclined(true)} />
      )}
    </Outside>
  );
}

/** The start page of the app on a Home Screen. */
export function WelcomePage() {
  const { t } = useTranslation();
  const { data: account } = useQuery(sessionQuery);
  const opening = useOpening();
  if (account !== null && account !== undefined) {
    // The app always opens the address with which it was installed.
    if (recall(account.id) !== null) return <Navigate to={PATHS.feed} replace />;
    return <ComeIn account={account} />;
  }
  if (opening.isRunning) {
    return (
      <Outside title={t("pairing.welcome")}>
        <Text role="status">{t("pairing.comingIn")}</Text>
      </Outside>
    );
  }
  return (
    <Outside
      title={t("pairing.welcome")}
      text={t("pairing.welcomeText")}
      others={<TextLink to={PATHS.signIn}>{t("pairing.password")}</TextLink>}
    >
      {opening.problem !== null && <Alert color="orange">{opening.problem}</Alert>}
      <TypeCode />
    </Outside>
  );
}

/** A link pairs only after a press: programs that open links must not use it up, nor sign anybody in unasked. */
function ByLink({ token, onOver }: { readonly token: string; readonly onOver: () => void }) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState("");
  const pair = usePair();
  const fail = (error: unknown) =>
    setProblem(isOver(error) ? t("pairing.linkOver") : messageOf(error));
  if (problem !== "") {
    return (
      <>
        <Alert color="orange" role="alert">
          {problem}
        </Alert>
        <ActionButton variant="default" run={async () => onOver()}>
          {t("pairing.typeCode")}
        </ActionButton>
      </>
    );
  }
  return (
    <ActionButton size="md" run={() => pair({ token })} onError={fail}>
      {t("pairing.comeIn")}
    </ActionButton>
  );
}

function TypeCode() {
  const { t } = useTranslation();
  const pair = usePair();
  const field = {
    name: "code",
    label: t("pairing.code"),
    type: "text",
    autoComplete: "one-time-code",
    hint: t("pairing.codeHint"),
  } as const;
  const send = async (proof: PairingProof) => {
    try {
      await pair(proof);
    } catch (error) {
      throw isOver(error) ? new Error(t("pairing.codeOver"), { cause: error }) : error;
    }
  };
  return (
    <Form
      fields={[field]}
      submit={t("pairing.comeIn")}
      onSubmit={(valueOf) => send({ code: valueOf("code") })}
    />
  );
}

function ComeIn({ account }: { readonly account: Account }) {
  const { t } = useTranslation();
  return (
    <AccountProvider value={account}>
      <Outside
        title={t("pairing.hello", { name: account.name })}
        text={t("account.signedInAs", { email: account.email })}
        others={<TextLink to={PATHS.feed}>{t("pairing.toFeed")}</TextLink>}
      >
        <ThisPhone />
      </Outside>
    </AccountProvider>
  );
}
