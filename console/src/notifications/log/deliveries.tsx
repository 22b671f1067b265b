import { IconDevicesOff } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { DeliveryDetail, DeliveryStateGroup, NotificationDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { Card } from "../../page/card.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../page/query-states.tsx";
import { DeliveryItem } from "./delivery-item.tsx";
import { OutcomeChips } from "./outcome-chips.tsx";
import { countByGroup, hasFailed, countDevices } from "./outcomes.ts";
import { createDeliveriesQuery } from "./log-queries.ts";
import logClasses from "./log.module.css";
import classes from "./record.module.css";

/** The deliveries of a notification, filtered by outcome. */
export function Deliveries({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const [outcome, setOutcome] = useState<DeliveryStateGroup | null>(null);
  const counts = countByGroup(record.counts);
  const nonZeroCounts = counts.filter(({ count }) => count > 0);
  const total = countDevices(record.counts);
  const getCount = (chipOutcome: DeliveryStateGroup | null) =>
    counts.find((item) => item.group === chipOutcome)?.count ?? total;
  // The selected outcome may no longer have deliveries.
  const selectedOutcome = nonZeroCounts.some((item) => item.group === outcome) ? outcome : null;
  return (
    <section className={classes["deliveries"]} aria-label={t("log.devices")}>
      {nonZeroCounts.length > 1 && (
        <OutcomeChips
          outcomes={nonZeroCounts.map((item) => item.group)}
          selected={selectedOutcome}
          onSelect={setOutcome}
          getCount={getCount}
        />
      )}
      <DeliveryList record={record} outcome={selectedOutcome} />
    </section>
  );
}

interface DeliveryListProps {
  readonly record: NotificationDetail;
  readonly outcome: DeliveryStateGroup | null;
}

/**
 * Maximum number of failures that are initially open. Failures come first; more open failures would hide the other
 * deliveries.
 */
const INITIALLY_OPEN_MAX = 3;

function isInitiallyOpen(delivery: DeliveryDetail, deliveries: readonly DeliveryDetail[]): boolean {
  return deliveries.slice(0, INITIALLY_OPEN_MAX).includes(delivery) && hasFailed(delivery);
}

function DeliveryList({ record, outcome }: DeliveryListProps) {
  const { t } = useTranslation();
  const query = useInfiniteQuery(createDeliveriesQuery(record.id, outcome));
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
