import type { PairingProof } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Form } from "../../page/form.tsx";
import { isPairingExpired } from "./is-pairing-expired.ts";
import { usePairingSignIn } from "./use-pairing-sign-in.ts";

/** A form that signs this browser in with the code of a pairing. */
export function PairingCodeForm() {
  const { t } = useTranslation();
  const pair = usePairingSignIn();
  const field = {
    name: "code",
    label: t("pairing.code"),
    type: "text",
    autoComplete: "one-time-code",
    hint: t("pairing.codeHint"),
  } as const;
  const pairWithCode = async (proof: PairingProof) => {
    try {
      await pair(proof);
    } catch (error) {
      throw isPairingExpired(error) ? new Error(t("pairing.codeExpired"), { cause: error }) : error;
    }
  };
  return (
    <Form
      fields={[field]}
      submitLabel={t("pairing.addSubmit")}
      onSubmit={(getValue) => pairWithCode({ code: getValue("code") })}
    />
  );
}
