import { Text, Title } from "@mantine/core";
import type { DeliveryDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./record.module.css";
import { explainDelivery, type Why, type WhyKey } from "./why.ts";

/** The reason for the state of a delivery and the remedy. */
export function WhyBlock({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { t } = useTranslation();
  const { state, message, nextAttemptAt } = delivery;
  const why = explainDelivery(delivery);
  const isWaiting = nextAttemptAt !== null || state === "queued";
  const heading = isWaiting ? t("log.whyWaiting") : t("log.why");
  return (
    <section className={classes["why"]} data-state={state}>
      <Text size="xs" c="dimmed" fw={600}>
        {state === "accepted" ? t("log.whyAccepted") : heading}
      </Text>
      {why === null ? (
        <Text size="sm">{message}</Text>
      ) : (
        <>
          <Title order={3} size="h6">
            {t(`why.${why.key}.title`)}
          </Title>
          <Text size="sm">{t(`why.${why.key}.text`)}</Text>
          {why.cause !== null && (
            <Text size="sm">
              {t("log.cause", { title: t(`why.${why.cause}.title`) })}
              {isWaiting && ` ${t(`why.${why.cause}.text`)}`}
            </Text>
          )}
          <Text size="sm">
            <strong>{t("log.todo")}:</strong> {t(`why.${remedyKeyOf(why, isWaiting)}.todo`)}
          </Text>
        </>
      )}
    </section>
  );
}

/** Returns the key of the remedy. The remedy of the cause helps only while the delivery is retried. */
function remedyKeyOf({ key, cause }: Why, isWaiting: boolean): WhyKey {
  return isWaiting ? (cause ?? key) : key;
}
