import { Badge, Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { DeliveryDetail } from "@tocsin/sdk";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { STATE_COLORS } from "./state-colors.ts";
import { Countdown } from "./countdown.tsx";
import classes from "./record.module.css";
import { Timeline } from "./timeline.tsx";
import { explainDelivery } from "./explain-delivery.ts";
import { ExplanationBlock } from "./explanation-block.tsx";

interface DeliveryItemProps {
  readonly delivery: DeliveryDetail;
  readonly sentAt: string;
  readonly isInitiallyOpen: boolean;
}

/** A delivery in the list. When open, it shows the reason and the recorded attempts. */
export function DeliveryItem({ delivery, sentAt, isInitiallyOpen }: DeliveryItemProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isOpen, setIsOpen] = useState(isInitiallyOpen);
  const { deviceId, deviceName, owner, state, nextAttemptAt } = delivery;
  return (
    <li className={classes["item"]} data-device={deviceId}>
      <UnstyledButton
        className={classes["line"] ?? ""}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={classes["head"]}>
          <span className={classes["device"]} dir="auto">
            {deviceName}{" "}
            {owner !== null && (
              <Text span size="xs" c="dimmed">
                {t("log.deviceOf", { name: owner.name })}
              </Text>
            )}
          </span>
          <Badge variant="light" color={STATE_COLORS[state]}>
            {t(`outcome.${state}`)}
          </Badge>
        </span>
        <span className={classes["summary"]}>
          <DeliverySummary delivery={delivery} />
        </span>
        <IconChevronDown size={18} aria-hidden className={classes["chevron"]} />
      </UnstyledButton>
      {isOpen && (
        <div id={id} className={classes["opened"]}>
          <ExplanationBlock delivery={delivery} />
          {nextAttemptAt !== null && (
            <Text size="sm">
              <strong>{t("log.nextAttempt")}</strong> <Countdown endsAt={nextAttemptAt} />
            </Text>
          )}
          <Timeline delivery={delivery} sentAt={sentAt} />
          {owner === null && <TextLink to={PATHS.devices}>{t("log.openDevices")}</TextLink>}
        </div>
      )}
    </li>
  );
}

function DeliverySummary({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { t } = useTranslation();
  const { nextAttemptAt, attempts, message } = delivery;
  if (nextAttemptAt !== null) return <Countdown endsAt={nextAttemptAt} />;
  const explanation = explainDelivery(delivery);
  const title = explanation === null ? message : t(`explanation.${explanation.key}.title`);
  if (attempts < 2) return title;
  return `${title} · ${t("log.attemptCount", { count: attempts })}`;
}
