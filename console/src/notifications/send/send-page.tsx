import { Alert, Select, Text } from "@mantine/core";
import { IconDevices, IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { devicesQuery } from "../../devices/device-queries.ts";
import { getErrorField, getErrorMessage } from "../../errors.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { Page } from "../../page/page.tsx";
import { PATHS } from "../../paths.ts";
import { getFieldsShownAs } from "../content/field-display.ts";
import { AddresseeSelect } from "./addressee-select.tsx";
import { LazyPromptCard } from "../../prompts/lazy-prompt-card.ts";
import { DraftCommand } from "./draft-command.tsx";
import { TTL_SECONDS, toSendRequest } from "./draft.ts";
import { PromptDisclosure, PROMPT_FIELDS } from "./prompt-disclosure.tsx";
import { SendOutcome } from "./send-outcome.tsx";
import { NotificationPreview } from "./notification-preview.tsx";
import classes from "./send-page.module.css";
import { useDraft, type DraftState } from "./use-draft.ts";
import { MoreFields, MainFields } from "./content-fields.tsx";

/** The ids of a sent notification and of its prompt; `promptId` is null if it has none. */
interface SentIds {
  readonly id: string;
  readonly promptId: string | null;
}

/** The page that composes and sends a notification and shows its outcome on each device. */
export function SendPage() {
  const { t } = useTranslation();
  const draftState = useDraft(useSearch({ strict: false }));
  const [sent, setSent] = useState<SentIds | null>(null);
  const startNew = () => {
    setSent(null);
    draftState.clear();
  };
  return (
    <Page width="wide" title={t("send.title")} text={t("send.text")}>
      <div className={classes["columns"]}>
        <Composer draftState={draftState} onSent={setSent} />
        <div className={classes["side"]}>
          {sent !== null && <SendOutcome id={sent.id} onSendAgain={startNew} />}
          {sent?.promptId != null && <SentPrompt promptId={sent.promptId} />}
          <NotificationPreview draft={draftState.draft} />
          <DraftCommand draft={draftState.draft} />
        </div>
      </div>
    </Page>
  );
}

interface ComposerProps {
  readonly draftState: DraftState;
  readonly onSent: (sent: SentIds) => void;
}

function Composer({ draftState: { draft, change, renewIdempotencyKey }, onSent }: ComposerProps) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<unknown>(null);
  const sendNotification = async () => {
    setProblem(null);
    const { ttlSeconds, idempotencyKey } = draft;
    const options = { ttlSeconds, idempotencyKey };
    const { id, promptId } = await client.notifications.send(toSendRequest(draft), options);
    renewIdempotencyKey();
    // The id is null only for an act on an incident, which this page never sends.
    if (id !== null) onSent({ id, promptId: promptId ?? null });
  };
  const errorField = getErrorField(problem) ?? "";
  const getError = (name: string) => (errorField === name ? getErrorMessage(problem) : null);
  const isFieldError =
    [MAIN_FIELDS, MORE_FIELDS, PROMPT_FIELDS].some((fields) => fields.has(errorField)) ||
    errorField.startsWith("to");
  return (
    <Card>
      <NoDeviceAlert />
      <AddresseeSelect
        value={draft.to}
        error={errorField.startsWith("to") ? getErrorMessage(problem) : null}
        onChange={(to) => change({ to })}
      />
      <MainFields content={draft} onChange={change} getError={getError} />
      <details className={classes["more"]} open={MORE_FIELDS.has(errorField) || undefined}>
        <summary>{t("content.more")}</summary>
        <div className={classes["fields"]}>
          <MoreFields content={draft} onChange={change} getError={getError} />
          <TtlSelect value={draft.ttlSeconds} onChange={(ttlSeconds) => change({ ttlSeconds })} />
        </div>
      </details>
      <PromptDisclosure
        prompt={draft}
        hasError={PROMPT_FIELDS.has(errorField)}
        onChange={change}
        getError={getError}
      />
      {problem !== null && !isFieldError && (
        <Alert color="red" role="alert">
          {getErrorMessage(problem)}
        </Alert>
      )}
      <ActionButton
        size="md"
        leftSection={<IconSend size={18} aria-hidden />}
        run={sendNotification}
        onError={setProblem}
      >
        {t("send.send")}
      </ActionButton>
    </Card>
  );
}

/** The fields that are always visible. */
const MAIN_FIELDS: ReadonlySet<string> = new Set(getFieldsShownAs("form", "main"));
/** The fields that are collapsed under "more". */
const MORE_FIELDS: ReadonlySet<string> = new Set(getFieldsShownAs("form", "more"));

/** The prompt of a sent notification, with each answer as it arrives. */
function SentPrompt({ promptId }: { readonly promptId: string }) {
  const { t } = useTranslation();
  return (
    <Card title={t("prompt.card")}>
      <Suspense>
        <LazyPromptCard id={promptId} />
      </Suspense>
    </Card>
  );
}

interface TtlSelectProps {
  readonly value: number;
  readonly onChange: (ttlSeconds: number) => void;
}

function TtlSelect({ value, onChange }: TtlSelectProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={t("send.timeToLive")}
      description={t("send.timeToLiveHint")}
      allowDeselect={false}
      value={String(value)}
      onChange={(selected) => onChange(Number(selected ?? TTL_SECONDS.day))}
      data={(["minutes", "hour", "day", "week", "month"] as const).map((ttl) => ({
        value: String(TTL_SECONDS[ttl]),
        label: t(`send.timeToLiveOptions.${ttl}`),
      }))}
    />
  );
}

function NoDeviceAlert() {
  const { t } = useTranslation();
  const { data: devices } = useQuery(devicesQuery);
  if (devices === undefined || devices.length > 0) return null;
  return (
    <Alert color="yellow" icon={<IconDevices aria-hidden />} title={t("send.noDevice")}>
      <Text size="sm">{t("send.noDeviceText")}</Text>
      <ButtonLink to={PATHS.devices} variant="default" size="xs" mt="xs">
        {t("send.toDevices")}
      </ButtonLink>
    </Alert>
  );
}
