import { Badge, Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { DeliveryDetail } from "@tocsin/sdk";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { COLORS } from "./colors.ts";
import { Countdown } from "./countdown.tsx";
import classes from "./record.module.css";
import { TimeLine } from "./time-line.tsx";
import { whyOf } from "./why.ts";
import { WhyBlock } from "./why-block.tsx";

export interface DeliveryItemProps {
  readonly delivery: DeliveryDetail;
  readonly sentAt: string;
  readonly isOpenAtFirst: boolean;
}

/** Outcome of a notification on one device; opened, it shows all attempts and the reason. */
export function DeliveryItem({ delivery, sentAt, isOpenAtFirst }: DeliveryItemProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { deviceId, deviceName, owner, state, nextAttemptAt } = delivery;
  return (
    <li className={classes["item"]} data-device={deviceId}>
      <UnstyledButton
        className={classes["line"] ?? ""}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
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
          <Badge variant="light" color={COLORS[state]}>
            {t(`outcome.${state}`)}
          </Badge>
        </span>
        <span className={classes["short"]}>
          <Short delivery={delivery} />
        </span>
        <IconChevronDown size={18} aria-hidden className={classes["chevron"]} />
      </UnstyledButton>
      {isOpen && (
        <div id={id} className={classes["opened"]}>
          <WhyBlock delivery={delivery} />
          {nextAttemptAt !== null && (
            <Text size="sm">
              <strong>{t("log.next")}</strong> <Countdown to={nextAttemptAt} />
            </Text>
          )}
          <TimeLine delivery={delivery} sentAt={sentAt} />
          {owner === null && <TextLink to={PATHS.devices}>{t("log.openDevices")}</TextLink>}
        </div>
      )}
    </li>
  );
}

function Short({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { t } = useTranslation();
  const { nextAttemptAt, attempts, message } = delivery;
  if (nextAttemptAt !== null) return <Countdown to={nextAttemptAt} />;
  const why = whyOf(delivery);
  const title = why === null ? message : t(`why.${why.key}.title`);
  if (attempts < 2) return title;
  return `${title} · ${t("log.attemptCount", { count: attempts })}`;
}
