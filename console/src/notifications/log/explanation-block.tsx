import { Text, Title } from "@mantine/core";
import type { DeliveryDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./record.module.css";
import {
  explainDelivery,
  type DeliveryExplanation,
  type ExplanationKey,
} from "./explain-delivery.ts";

/** The reason for the state of a delivery and the remedy. */
export function ExplanationBlock({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { t } = useTranslation();
  const { state, message, nextAttemptAt } = delivery;
  const explanation = explainDelivery(delivery);
  const isWaiting = nextAttemptAt !== null || state === "queued";
  const heading = isWaiting ? t("log.whyWaiting") : t("log.why");
  return (
    <section className={classes["explanation"]} data-state={state}>
      <Text size="xs" c="dimmed" fw={600}>
        {state === "accepted" ? t("log.whyAccepted") : heading}
      </Text>
      {explanation === null ? (
        <Text size="sm">{message}</Text>
      ) : (
        <>
          <Title order={3} size="h6">
            {t(`explanation.${explanation.key}.title`)}
          </Title>
          <Text size="sm">{t(`explanation.${explanation.key}.text`)}</Text>
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

/** Returns the key of the remedy. The remedy of the cause helps only while the delivery is retried. */
function getRemedyKey({ key, cause }: DeliveryExplanation, isWaiting: boolean): ExplanationKey {
  return isWaiting ? (cause ?? key) : key;
}
