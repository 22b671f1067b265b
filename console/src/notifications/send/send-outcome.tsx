import { Badge, Button, Group, Loader, Text } from "@mantine/core";
import { IconDeviceMobile } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { DeliveryDetail, NotificationDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useIsLive } from "../../live/live-updates.tsx";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { List, ListItem } from "../../page/list.tsx";
import { QueryContent } from "../../page/query-states.tsx";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { STATE_COLORS } from "../log/state-colors.ts";
import { countDevices } from "../log/state-groups.ts";
import { createRecordQuery } from "../log/log-queries.ts";
import { explainDelivery } from "../log/explain-delivery.ts";
import { areDeliveriesFinished, getPollInterval } from "./poll-interval.ts";
import classes from "./send-page.module.css";

/** Maximum number of deliveries in the card. The page of the sent notification shows all. */
const DELIVERIES_MAX = 10;

interface SendOutcomeProps {
  /** Id of the sent notification. */
  readonly id: string;
  readonly onSendAgain: () => void;
}

/** The outcome of a notification on each device, updated live. */
export function SendOutcome({ id, onSendAgain }: SendOutcomeProps) {
  const { t } = useTranslation();
  const isLive = useIsLive();
  const record = useQuery({
    ...createRecordQuery(id),
    refetchInterval: ({ state: { data } }) => getPollInterval(isLive, data?.counts),
  });
  return (
    <Card
      title={t("send.outcome")}
      actions={
        <Group gap="xs">
          <ButtonLink to={PATHS.record} params={{ id }} variant="default" size="xs">
            {t("send.details")}
          </ButtonLink>
          <Button variant="default" size="xs" onClick={onSendAgain}>
            {t("send.again")}
          </Button>
        </Group>
      }
    >
      <div role="status">
        <QueryContent query={record} rows={1}>
          {(data) => (data === null ? null : <Deliveries record={data} />)}
        </QueryContent>
      </div>
    </Card>
  );
}

function Deliveries({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const { id, counts, deliveries } = record;
  const visibleDeliveries = deliveries.slice(0, DELIVERIES_MAX);
  const hiddenCount = countDevices(counts) - visibleDeliveries.length;
  if (deliveries.length === 0) {
    return (
      <Text size="sm">
        {t(areDeliveriesFinished(counts) ? "send.noRecipientDevice" : "send.sending")}
      </Text>
    );
  }
  return (
    <>
      <List label={t("send.outcome")}>
        {visibleDeliveries.map((delivery) => (
          <DeliveryRow key={delivery.deviceId} delivery={delivery} />
        ))}
      </List>
      {hiddenCount > 0 && (
        <TextLink to={PATHS.record} params={{ id }} className={classes["showAll"]}>
          {t("send.more", { count: hiddenCount })}
        </TextLink>
      )}
    </>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { t } = useTranslation();
  const { deviceId, deviceName, state, message } = delivery;
  const explanation = explainDelivery(delivery);
  const badge = (
    <Badge
      variant="light"
      color={STATE_COLORS[state]}
      leftSection={state === "queued" ? <Loader size={10} color="currentColor" /> : null}
    >
      {t(`outcome.${state}`)}
    </Badge>
  );
  return (
    <ListItem id={deviceId} icon={IconDeviceMobile} title={deviceName} badge={badge}>
      <Text size="sm">
        {explanation === null ? message : t(`explanation.${explanation.key}.title`)}
      </Text>
    </ListItem>
  );
}
