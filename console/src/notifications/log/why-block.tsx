import { Text, Title } from "@mantine/core";
import type { DeliveryDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import classes from "./record.module.css";
import { whyOf, type Why, type WhyKey } from "./why.ts";

/** Reason for the state of a delivery, and what a person can do about it. */
export function WhyBlock({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { t } = useTranslation();
  const { state, message, nextAttemptAt } = delivery;
  const why = whyOf(delivery);
  const isWaiting = nextAttemptAt !== null || state === "queued";
  const question = isWaiting ? t("log.whyWaiting") : t("log.why");
  return (
    <section className={classes["why"]} data-state={state}>
      <Text size="xs" c="dimmed" fw={600}>
        {state === "accepted" ? t("log.whyAccepted") : question}
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
            <strong>{t("log.todo")}:</strong> {t(`why.${todoOf(why, isWaiting)}.todo`)}
          </Text>
        </>
      )}
    </section>
  );
}

/** Fixing the cause helps only while the delivery is still tried. */
function todoOf({ key, cause }: Why, isWaiting: boolean): WhyKey {
  return isWaiting ? (cause ?? key) : key;
}
