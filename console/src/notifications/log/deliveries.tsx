import { IconDevicesOff } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { DeliveryDetail, DeliveryFate, NotificationDetail } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../../page/action-button.tsx";
import { Card } from "../../page/card.tsx";
import { EmptyState, ErrorState, Skeletons } from "../../page/states.tsx";
import { DeliveryItem } from "./delivery-item.tsx";
import { FateChips } from "./fate-chips.tsx";
import { fateCounts, hasFailed, totalOf } from "./fates.ts";
import { deliveriesQuery } from "./log-queries.ts";
import logClasses from "./log.module.css";
import classes from "./record.module.css";

/** Outcomes of a notification on each device, page by page. */
export function Deliveries({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const [fate, setFate] = useState<DeliveryFate | null>(null);
  const counts = fateCounts(record.counts);
  const there = counts.filter(({ count }) => count > 0);
  const total = totalOf(record.counts);
  const countOf = (one: DeliveryFate | null) =>
    counts.find((item) => item.fate === one)?.count ?? total;
  // The chosen outcome may have no deliveries left.
  const chosen = there.some((item) => item.fate === fate) ? fate : null;
  return (
    <section className={classes["deliveries"]} aria-label={t("log.devices")}>
      {there.length > 1 && (
        <FateChips
          fates={there.map((item) => item.fate)}
          chosen={chosen}
          onChoose={setFate}
          countOf={countOf}
        />
      )}
      <Listed record={record} fate={chosen} />
    </section>
  );
}

interface ListedProps {
  readonly record: NotificationDetail;
  readonly fate: DeliveryFate | null;
}

/** Failures that open by themselves, which come first: more would hide that there are others. */
const OPENED_MAX = 3;

function isOpened(delivery: DeliveryDetail, all: readonly DeliveryDetail[]): boolean {
  return all.slice(0, OPENED_MAX).includes(delivery) && hasFailed(delivery);
}

function Listed({ record, fate }: ListedProps) {
  const { t } = useTranslation();
  const query = useInfiniteQuery(deliveriesQuery(record.id, fate));
  const { data, error, refetch, hasNextPage, fetchNextPage } = query;
  if (data === undefined) {
    if (error === null) return <Skeletons rows={3} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  const deliveries = data.pages.flatMap(({ items }) => items);
  if (deliveries.length === 0) {
    return (
      <Card>
        <EmptyState icon={IconDevicesOff} title={t("log.noneSuch")} text={t("log.noneSuchText")} />
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
            isOpenAtFirst={deliveries.length === 1 || isOpened(delivery, deliveries)}
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
