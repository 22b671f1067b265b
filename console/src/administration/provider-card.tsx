import { Badge, Text } from "@mantine/core";
import type { Finding, ProviderState, ProviderStatus, ProviderTrouble } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Card } from "../page/card.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import classes from "./administration.module.css";
import { Findings } from "./findings.tsx";
import { ProviderSetup } from "./provider-setup.tsx";

/** A provider: its state, its settings, its last failure, a button that validates it, and its setup. */
export function ProviderCard({ status }: { readonly status: ProviderStatus }) {
  const { t } = useTranslation();
  const { provider, state, isConfigured, troubles } = status;
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const badge = (
    <Badge variant="light" color={STATE_COLORS[state]}>
      {t(`provider.state.${state}`)}
    </Badge>
  );
  const validate = async () => {
    setFindings([]);
    setFindings((await client.admin.providers.validate(provider)).items);
  };
  return (
    <div data-provider={provider} data-state={state}>
      <Card title={t(`provider.name.${provider}`)} actions={badge}>
        <Text size="sm" c="dimmed">
          {t(`provider.reaches.${provider}`)}
        </Text>
        {troubles.map((trouble) => (
          <TroubleDetails
            key={trouble.service}
            trouble={trouble}
            waitingCount={status.waitingCount}
          />
        ))}
        {isConfigured && <ProviderFacts status={status} />}
        {isConfigured && (
          <div>
            <ActionButton
              variant="default"
              run={validate}
              aria-label={t("provider.validateOf", { name: t(`provider.name.${provider}`) })}
            >
              {t("provider.validate")}
            </ActionButton>
          </div>
        )}
        <div role="status" className={classes["result"]}>
          {findings.length > 0 && <Findings findings={findings} />}
        </div>
        <ProviderSetup provider={provider} />
      </Card>
    </div>
  );
}

const STATE_COLORS: Readonly<Record<ProviderState, string>> = {
  working: "green",
  held: "red",
  unused: "gray",
  off: "gray",
};

interface TroubleDetailsProps {
  readonly trouble: ProviderTrouble;
  readonly waitingCount: number;
}

function TroubleDetails({ trouble, waitingCount }: TroubleDetailsProps) {
  const { t } = useTranslation();
  const { cause, service, since, message } = trouble;
  return (
    <div className={classes["trouble"]}>
      <Text size="sm" fw={600}>
        {t("provider.heldSince", { service, when: formatTimestamp(since) })}
      </Text>
      <Text size="sm">{message}</Text>
      <Text size="sm">{t(`provider.cause.${cause}`)}</Text>
      {waitingCount > 0 && (
        <Text size="sm" c="dimmed">
          {t("provider.waiting", { count: waitingCount })}
        </Text>
      )}
    </div>
  );
}

/** Length of the longest value that is on the same line as its name. */
const INLINE_LENGTH_MAX = 60;

function ProviderFacts({ status }: { readonly status: ProviderStatus }) {
  const { t } = useTranslation();
  const { settings, lastAcceptedAt, lastFailure } = status;
  const facts = [
    ...settings.map(({ name, value }) => [
      t(`provider.setting.${name}`),
      value === "" ? t("provider.notSet") : value,
    ]),
    [t("provider.devices"), String(status.deviceCount)],
    [
      t("provider.lastAccepted"),
      lastAcceptedAt === null ? t("admin.noneYet") : formatTimestamp(lastAcceptedAt),
    ],
    [
      t("provider.lastFailure"),
      lastFailure === null
        ? t("provider.noFailure")
        : `${formatTimestamp(lastFailure.at)}: ${lastFailure.message}`,
    ],
  ] as const;
  return (
    <dl className={classes["facts"]}>
      {facts.map(([name, value]) => (
        <div key={name} data-long={(value?.length ?? 0) > INLINE_LENGTH_MAX || undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
