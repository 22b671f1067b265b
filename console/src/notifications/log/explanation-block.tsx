import { Text, Title } from "@mantine/core";
import type { DeliveryDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { Timestamp } from "../../page/timestamp.tsx";
import classes from "./record.module.css";
import {
  explainDelivery,
  type DeliveryExplanation,
  type ExplanationKey,
} from "./explain-delivery.ts";

/** Explains the state of a delivery: its reason, the failure behind it, and the remedy. */
export function ExplanationBlock({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { t } = useTranslation();
  const { state, message, nextAttemptAt, proof } = delivery;
  const explanation = explainDelivery(delivery);
  const isWaiting = nextAttemptAt !== null || state === "queued";
  return (
    <section className={classes["explanation"]} data-state={state}>
      <Text size="xs" c="dimmed" fw={600}>
        {t(getHeadingKey(state, isWaiting))}
      </Text>
      {explanation === null ? (
        <Text size="sm">{message}</Text>
      ) : (
        <>
          <Title order={3} size="h6">
            {t(`explanation.${explanation.key}.title`)}
          </Title>
          <Text size="sm">{t(`explanation.${explanation.key}.text`)}</Text>
          {proof !== undefined && (
            <Text size="sm">
              {t("log.provenAt")} <Timestamp at={proof.at} />
            </Text>
          )}
          {explanation.cause !== null && (
            <Text size="sm">
              {t("log.cause", { title: t(`explanation.${explanation.cause}.title`) })}
              {isWaiting && ` ${t(`explanation.${explanation.cause}.text`)}`}
            </Text>
          )}
          <Text size="sm">
            <strong>{t("log.whatToDo")}:</strong>{" "}
            {t(`explanation.${getRemedyKey(explanation, isWaiting)}.remedy`)}
          </Text>
        </>
      )}
    </section>
  );
}

function getHeadingKey(state: DeliveryDetail["state"], isWaiting: boolean) {
  if (state === "accepted") return "log.whyAccepted";
  return isWaiting ? "log.whyWaiting" : "log.why";
}

/** Returns the key of the text with the remedy. The remedy of the cause helps only while the delivery is retried. */
function getRemedyKey({ key, cause }: DeliveryExplanation, isWaiting: boolean): ExplanationKey {
  return isWaiting ? (cause ?? key) : key;
}
