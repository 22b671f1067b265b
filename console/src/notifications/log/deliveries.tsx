import { IconDevicesOff } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { DeliveryDetail, DeliveryStateGroup, NotificationDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { Card } from "../../page/card.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../page/query-states.tsx";
import { DeliveryItem } from "./delivery-item.tsx";
import { StateGroupChips } from "./state-group-chips.tsx";
import { countByGroup, hasFailed, countDevices } from "./state-groups.ts";
import { createDeliveriesQuery } from "./log-queries.ts";
import logClasses from "./log.module.css";
import classes from "./record.module.css";

/** The deliveries of a notification, filtered by group of states. */
export function Deliveries({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const [group, setGroup] = useState<DeliveryStateGroup | null>(null);
  const counts = countByGroup(record.counts);
  const nonZeroCounts = counts.filter(({ count }) => count > 0);
  const total = countDevices(record.counts);
  const getCount = (chipGroup: DeliveryStateGroup | null) =>
    counts.find((item) => item.group === chipGroup)?.count ?? total;
  // The selected group may no longer have deliveries.
  const selectedGroup = nonZeroCounts.some((item) => item.group === group) ? group : null;
  return (
    <section className={classes["deliveries"]} aria-label={t("log.devices")}>
      {nonZeroCounts.length > 1 && (
        <StateGroupChips
          groups={nonZeroCounts.map((item) => item.group)}
          selected={selectedGroup}
          onSelect={setGroup}
          getCount={getCount}
        />
      )}
      <DeliveryList record={record} group={selectedGroup} />
    </section>
  );
}

interface DeliveryListProps {
  readonly record: NotificationDetail;
  readonly group: DeliveryStateGroup | null;
}

/**
 * Maximum number of failures that are initially open. Failures come first; more open failures would hide the other
 * deliveries.
 */
const INITIALLY_OPEN_MAX = 3;

function isInitiallyOpen(delivery: DeliveryDetail, deliveries: readonly DeliveryDetail[]): boolean {
  return deliveries.slice(0, INITIALLY_OPEN_MAX).includes(delivery) && hasFailed(delivery);
}

function DeliveryList({ record, group }: DeliveryListProps) {
  const { t } = useTranslation();
  const query = useInfiniteQuery(createDeliveriesQuery(record.id, group));
  const { data, error, refetch, hasNextPage, fetchNextPage } = query;
  if (data === undefined) {
    if (error === null) return <SkeletonRows rows={3} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const deliveries = data.pages.flatMap(({ items }) => items);
  if (deliveries.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={IconDevicesOff}
          title={t("log.noDeliveries")}
          text={t("log.noDeliveriesText")}
        />
      </Card>
    );
  }
  return (
    <>
      <ul className={classes["list"]} aria-label={t("log.devices")}>
        {deliveries.map((delivery) => (
          <DeliveryItem
            key={delivery.deviceId}
            delivery={delivery}
            sentAt={record.createdAt}
            isInitiallyOpen={deliveries.length === 1 || isInitiallyOpen(delivery, deliveries)}
          />
        ))}
      </ul>
      {hasNextPage && (
        <ActionButton
          variant="default"
          className={logClasses["more"] ?? ""}
          run={async () => {
            await fetchNextPage({ throwOnError: true });
          }}
        >
          {t("page.loadMore")}
        </ActionButton>
      )}
    </>
  );
}
