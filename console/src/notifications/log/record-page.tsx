import { Badge, Text } from "@mantine/core";
import { IconArrowLeft, IconSend, IconSendOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Delivery, NotificationRecord } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { List, ListItem } from "../../page/list.tsx";
import { Moment, momentOf } from "../../page/moment.tsx";
import { Page } from "../../page/page.tsx";
import { EmptyState, Loaded } from "../../page/states.tsx";
import { PATHS } from "../../paths.ts";
import { COLORS } from "./colors.ts";
import classes from "./log.module.css";
import { recordQuery } from "./log-queries.ts";

/** What was sent, and what became of it on each device. */
export function RecordPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false });
  const record = useQuery(recordQuery(id));
  const back = (
    <ButtonLink
      to={PATHS.log}
      variant="default"
      size="xs"
      leftSection={<IconArrowLeft size={16} aria-hidden />}
    >
      {t("log.back")}
    </ButtonLink>
  );
  return (
    <Page title={t("log.one")} actions={back}>
      <Loaded query={record}>
        {(found) =>
          found === null ? (
            <Card>
              <EmptyState icon={IconSendOff} title={t("log.gone")} text={t("feed.goneText")} />
            </Card>
          ) : (
            <Sent record={found} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Sent({ record }: { readonly record: NotificationRecord }) {
  const { t } = useTranslation();
  const { title, body, channel, createdAt, deliveries } = record;
  return (
    <>
      <Card title={title === "" ? t("feed.untitled") : title}>
        {body !== "" && (
          <Text dir="auto" className={classes["body"] ?? ""}>
            {body}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          <Badge size="sm" variant="default">
            {channel}
          </Badge>{" "}
          <Moment at={createdAt} />
        </Text>
      </Card>
      {deliveries.length === 0 ? (
        <Card>
          <EmptyState icon={IconSend} title={t("log.nobody")} text={t("log.nobodyText")} />
        </Card>
      ) : (
        <List label={t("log.devices")}>
          {deliveries.map((delivery) => (
            <DeliveryItem key={delivery.deviceId} delivery={delivery} />
          ))}
        </List>
      )}
    </>
  );
}

function DeliveryItem({ delivery }: { readonly delivery: Delivery }) {
  const { t } = useTranslation();
  const { deviceName, state, message, code, attempts, updatedAt } = delivery;
  return (
    <ListItem
      icon={IconSend}
      title={deviceName}
      badge={
        <Badge variant="light" color={COLORS[state]}>
          {t(`outcome.${state}`)}
        </Badge>
      }
    >
      {message !== null && <Text size="sm">{message}</Text>}
      <Text size="xs" c="dimmed">
        {[
          t("log.attempts", { count: attempts }),
          momentOf(updatedAt),
          ...(code === null ? [] : [code]),
        ].join(" · ")}
      </Text>
    </ListItem>
  );
}
