import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { VisitorPage } from "../../accounts/visitor-page.tsx";
import { sessionQuery } from "../../accounts/session.ts";
import { getErrorMessage } from "../../errors.ts";
import { getLinkToken } from "../../link-token.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { PairingCodeForm } from "./code-form.tsx";
import { isPairingExpired } from "./is-pairing-expired.ts";
import { NextStep } from "./next-step.tsx";
import { usePairingSignIn } from "./use-pairing-sign-in.ts";

/** The page that a pairing link opens. Without a link, a person types the code of a pairing there. */
export function PairingPage() {
  const { t } = useTranslation();
  const { data: account } = useQuery(sessionQuery);
  const [isTypingCode, setIsTypingCode] = useState(false);
  const token = getLinkToken();
  if (account !== null && account !== undefined) return <NextStep account={account} />;
  return (
    <VisitorPage
      title={t("pairing.addTitle")}
      text={t(token === "" || isTypingCode ? "pairing.typeText" : "pairing.linkText")}
      alternatives={<TextLink to={PATHS.signIn}>{t("pairing.password")}</TextLink>}
    >
      {token === "" || isTypingCode ? (
        <PairingCodeForm />
      ) : (
        <PairButton token={token} onTypeCode={() => setIsTypingCode(true)} />
      )}
    </VisitorPage>
  );
}

/**
 * A button that pairs this browser. A program that opens links must not use up the link or sign in, so pairing needs a
 * click.
 */
function PairButton({
  token,
  onTypeCode,
}: {
  readonly token: string;
  readonly onTypeCode: () => void;
}) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState("");
  const pair = usePairingSignIn();
  const showProblem = (error: unknown) =>
    setProblem(isPairingExpired(error) ? t("pairing.linkExpired") : getErrorMessage(error));
  if (problem !== "") {
    return (
      <>
        <Alert color="orange" role="alert">
          {problem}
        </Alert>
        <ActionButton variant="default" run={async () => onTypeCode()}>
          {t("pairing.typeCode")}
        </ActionButton>
      </>
    );
  }
  return (
    <ActionButton size="md" run={() => pair({ token })} onError={showProblem}>
      {t("pairing.addSubmit")}
    </ActionButton>
  );
}
