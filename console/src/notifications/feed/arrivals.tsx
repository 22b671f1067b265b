import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { DeliveryDetail, FeedItem } from "@tocsin/sdk";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { DeliveryItem } from "../log/delivery-item.tsx";
import { hasFailed } from "../log/fates.ts";
import recordClasses from "../log/record.module.css";
import { Skeletons } from "../../page/states.tsx";
import { arrivalsQuery } from "./arrivals-query.ts";
import classes from "./notification-detail.module.css";

export interface ArrivalsProps {
  readonly item: FeedItem;
  /** Whether the reader manages the team that it was sent to, and sees the devices of all its members. */
  readonly isManager: boolean;
}

/** Deliveries of a notification: on all members' devices for a manager of the team, else on the reader's own. */
export function Arrivals({ item, isManager }: ArrivalsProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const { data, error } = useQuery(arrivalsQuery(item.id, isManager));
  return (
    <section className={classes["arrivals"]} aria-labelledby={titleId}>
      <Title order={3} size="h6" id={titleId}>
        {isManager ? t("feed.deliveries") : t("feed.ownDeliveries")}
      </Title>
      {data === undefined && error === null && <Skeletons rows={1} />}
      {data === undefined && error !== null && (
        <Text size="sm" c="dimmed">
          {t("feed.deliveriesUnknown")}
        </Text>
      )}
      {data !== undefined && <Listed item={item} deliveries={data} isManager={isManager} />}
    </section>
  );
}

function Listed({
  item,
  deliveries,
  isManager,
}: ArrivalsProps & { readonly deliveries: readonly DeliveryDetail[] }) {
  const { t } = useTranslation();
  if (deliveries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {isManager ? t("log.nobodyText") : t("feed.noOwnDevice")}
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
          isOpenAtFirst={hasFailed(delivery) && delivery === deliveries[0]}
        />
      ))}
    </ul>
  );
}
