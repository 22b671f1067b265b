import { Badge, Button, Group, Loader, Text } from "@mantine/core";
import { IconDeviceMobile } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { DeliveryDetail, NotificationDetail } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { useIsLive } from "../../live/live.tsx";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { List, ListItem } from "../../page/list.tsx";
import { Loaded } from "../../page/states.tsx";
import { TextLink } from "../../page/text-link.tsx";
import { PATHS } from "../../paths.ts";
import { COLORS } from "../log/colors.ts";
import { totalOf } from "../log/fates.ts";
import { recordQuery } from "../log/log-queries.ts";
import { whyOf } from "../log/why.ts";
import { isOver, paceOf } from "./pace.ts";
import classes from "./send-page.module.css";

/** Deliveries shown here; the record's own page has the others. */
const SHOWN_MAX = 10;

export interface OutcomeProps {
  /** Id of the notification that was sent. */
  readonly id: string;
  readonly onAgain: () => void;
}

/** Outcomes of a notification on each device, as they come in. */
export function Outcome({ id, onAgain }: OutcomeProps) {
  const { t } = useTranslation();
  const isLive = useIsLive();
  const record = useQuery({
    ...recordQuery(id),
    refetchInterval: ({ state: { data } }) => paceOf(isLive, data?.counts),
  });
  return (
    <Card
      title={t("send.outcome")}
      actions={
        <Group gap="xs">
          <ButtonLink to={PATHS.record} params={{ id }} variant="default" size="xs">
            {t("send.details")}
          </ButtonLink>
          <Button variant="default" size="xs" onClick={onAgain}>
            {t("send.again")}
          </Button>
        </Group>
      }
    >
      <div role="status">
        <Loaded query={record} rows={1}>
          {(found) => (found === null ? null : <Deliveries record={found} />)}
        </Loaded>
      </div>
    </Card>
  );
}

function Deliveries({ record }: { readonly record: NotificationDetail }) {
  const { t } = useTranslation();
  const { id, counts, deliveries } = record;
  const shown = deliveries.slice(0, SHOWN_MAX);
  const more = totalOf(counts) - shown.length;
  if (deliveries.length === 0) {
    return <Text size="sm">{t(isOver(counts) ? "send.nobody" : "send.beginning")}</Text>;
  }
  return (
    <>
      <List label={t("send.outcome")}>
        {shown.map((delivery) => (
          <Fate key={delivery.deviceId} delivery={delivery} />
        ))}
      </List>
      {more > 0 && (
        <TextLink to={PATHS.record} params={{ id }} className={classes["rest"]}>
          {t("send.more", { count: more })}
        </TextLink>
      )}
    </>
  );
}

function Fate({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { t } = useTranslation();
  const { deviceId, deviceName, state, message } = delivery;
  const why = whyOf(delivery);
  const badge = (
    <Badge
      variant="light"
      color={COLORS[state]}
      leftSection={state === "queued" ? <Loader size={10} color="currentColor" /> : null}
    >
      {t(`outcome.${state}`)}
    </Badge>
  );
  return (
    <ListItem id={deviceId} icon={IconDeviceMobile} title={deviceName} badge={badge}>
      <Text size="sm">{why === null ? message : t(`why.${why.key}.title`)}</Text>
    </ListItem>
  );
}
