import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { DeliveryDetail, FeedItem } from "@tocsin/sdk";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { DeliveryItem } from "../log/delivery-item.tsx";
import { hasFailed } from "../log/state-groups.ts";
import recordClasses from "../log/record.module.css";
import { SkeletonRows } from "../../page/query-states.tsx";
import { createFeedDeliveriesQuery } from "./feed-deliveries-query.ts";
import classes from "./notification-detail.module.css";

interface FeedDeliveriesProps {
  readonly item: FeedItem;
  /** Whether the reader manages the notification's team and sees the devices of all its members. */
  readonly isManager: boolean;
}

/**
 * The deliveries of a notification. A team manager sees the deliveries to all members, and other readers see only their
 * own.
 */
export function FeedDeliveries({ item, isManager }: FeedDeliveriesProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const { data, error } = useQuery(createFeedDeliveriesQuery(item.id, isManager));
  return (
    <section className={classes["deliveries"]} aria-labelledby={titleId}>
      <Title order={3} size="h6" id={titleId}>
        {isManager ? t("feed.deliveries") : t("feed.ownDeliveries")}
      </Title>
      {data === undefined && error === null && <SkeletonRows rows={1} />}
      {data === undefined && error !== null && (
        <Text size="sm" c="dimmed">
          {t("feed.deliveriesUnknown")}
        </Text>
      )}
      {data !== undefined && <DeliveryList item={item} deliveries={data} isManager={isManager} />}
    </section>
  );
}

function DeliveryList({
  item,
  deliveries,
  isManager,
}: FeedDeliveriesProps & { readonly deliveries: readonly DeliveryDetail[] }) {
  const { t } = useTranslation();
  if (deliveries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {isManager ? t("log.noDeviceText") : t("feed.noOwnDevice")}
      </Text>
    );
  }
  return (
    <ul className={recordClasses["list"]} aria-label={t("log.devices")}>
      {deliveries.map((delivery) => (
        <DeliveryItem
          key={delivery.deviceId}
          delivery={delivery}
          sentAt={item.createdAt}
          isInitiallyOpen={hasFailed(delivery) && delivery === deliveries[0]}
        />
      ))}
    </ul>
  );
}
