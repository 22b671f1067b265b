import { Code } from "@mantine/core";
import type { PushProviderName } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./administration.module.css";

/** Instructions to set up a provider, with the environment variables to set. */
export function ProviderSetup({ provider }: { readonly provider: PushProviderName }) {
  const { t } = useTranslation();
  return (
    <details className={classes["setup"]}>
      <summary>{t("provider.setUp")}</summary>
      <ol>
        {SETUP_STEPS[provider].map(({ text, variables }) => (
          <li key={text}>
            {t(text)}{" "}
            {variables.map((name) => (
              <span key={name}>
                <Code>{name}</Code>{" "}
              </span>
            ))}
          </li>
        ))}
      </ol>
    </details>
  );
}

const SETUP_STEPS = {
  webpush: [
    { text: "provider.steps.webpushNothing", variables: [] },
    {
      text: "provider.steps.webpushSubject",
      variables: ["TOCSIN_BASE_URL", "TOCSIN_VAPID_SUBJECT"],
    },
    { text: "provider.steps.webpushHosts", variables: ["TOCSIN_WEBPUSH_HOSTS"] },
  ],
  apns: [
    { text: "provider.steps.apnsKey", variables: ["TOCSIN_APNS_KEY_FILE"] },
    {
      text: "provider.steps.apnsIds",
      variables: ["TOCSIN_APNS_KEY_ID", "TOCSIN_APNS_TEAM_ID"],
    },
    { text: "provider.steps.apnsTopic", variables: ["TOCSIN_APNS_TOPIC"] },
    { text: "provider.steps.restart", variables: [] },
  ],
  fcm: [
    { text: "provider.steps.fcmKey", variables: ["TOCSIN_FCM_CREDENTIALS_FILE"] },
    { text: "provider.steps.fcmApi", variables: [] },
    { text: "provider.steps.restart", variables: [] },
  ],
} as const satisfies Readonly<Record<PushProviderName, readonly unknown[]>>;
