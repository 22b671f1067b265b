import { Alert, Select, Text } from "@mantine/core";
import { IconDevices, IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { devicesQuery } from "../../devices/device-queries.ts";
import { fieldOf, messageOf } from "../../errors.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { ButtonLink } from "../../page/button-link.tsx";
import { Card } from "../../page/card.tsx";
import { Page } from "../../page/page.tsx";
import { PATHS } from "../../paths.ts";
import { fieldsAt } from "../content/places.ts";
import { AddresseeSelect } from "./addressee-select.tsx";
import { AsCommand } from "./as-command.tsx";
import { LIVES, requestOf } from "./draft.ts";
import { Outcome } from "./outcome.tsx";
import { Preview } from "./preview.tsx";
import classes from "./send-page.module.css";
import { useDraft, type Writing } from "./use-draft.ts";
import { MannerFields, WordFields } from "./wording-fields.tsx";

/** Writes a notification, sends it, and shows its outcome on each device. */
export function SendPage() {
  const { t } = useTranslation();
  const writing = useDraft(useSearch({ strict: false }));
  const [sentId, setSentId] = useState<string | null>(null);
  const again = () => {
    setSentId(null);
    writing.clear();
  };
  return (
    <Page width="wide" title={t("send.title")} text={t("send.text")}>
      <div className={classes["columns"]}>
        <Composer writing={writing} onSent={setSentId} />
        <div className={classes["side"]}>
          {sentId !== null && <Outcome id={sentId} onAgain={again} />}
          <Preview wording={writing.draft} />
          <AsCommand draft={writing.draft} />
        </div>
      </div>
    </Page>
  );
}

interface ComposerProps {
  readonly writing: Writing;
  readonly onSent: (id: string) => void;
}

function Composer({ writing: { draft, change, settle }, onSent }: ComposerProps) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<unknown>(null);
  const send = async () => {
    setProblem(null);
    const { ttlSeconds, sendKey: idempotencyKey } = draft;
    const options = { ttlSeconds, idempotencyKey };
    const { id } = await client.notifications.send(requestOf(draft), options);
    settle();
    onSent(id);
  };
  const field = fieldOf(problem) ?? "";
  const errorOf = (name: string) => (field === name ? messageOf(problem) : null);
  const isToldBeside = WORD_FIELDS.has(field) || MANNER_FIELDS.has(field) || field.startsWith("to");
  return (
    <Card>
      <NoDevice />
      <AddresseeSelect
        value={draft.to}
        error={field.startsWith("to") ? messageOf(problem) : null}
        onChange={(to) => change({ to })}
      />
      <WordFields wording={draft} onChange={change} errorOf={errorOf} />
      <details className={classes["more"]} open={MANNER_FIELDS.has(field) || undefined}>
        <summary>{t("wording.more")}</summary>
        <div className={classes["fields"]}>
          <MannerFields wording={draft} onChange={change} errorOf={errorOf} />
          <LifeSelect value={draft.ttlSeconds} onChange={(ttlSeconds) => change({ ttlSeconds })} />
        </div>
      </details>
      {problem !== null && !isToldBeside && (
        <Alert color="red" role="alert">
          {messageOf(problem)}
        </Alert>
      )}
      <ActionButton
        size="md"
        leftSection={<IconSend size={18} aria-hidden />}
        run={send}
        onError={setProblem}
      >
        {t("send.send")}
      </ActionButton>
    </Card>
  );
}

/** Fields whose errors are shown beside them. */
const WORD_FIELDS: ReadonlySet<string> = new Set(fieldsAt("form", "words"));
/** The same, for fields that are hidden at first. */
const MANNER_FIELDS: ReadonlySet<string> = new Set(fieldsAt("form", "manner"));

interface LifeSelectProps {
  readonly value: number;
  readonly onChange: (ttlSeconds: number) => void;
}

function LifeSelect({ value, onChange }: LifeSelectProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={t("send.life")}
      description={t("send.lifeHint")}
      allowDeselect={false}
      value={String(value)}
      onChange={(chosen) => onChange(Number(chosen ?? LIVES.day))}
      data={(["minutes", "hour", "day", "week", "month"] as const).map((life) => ({
        value: String(LIVES[life]),
        label: t(`send.lives.${life}`),
      }))}
    />
  );
}

function NoDevice() {
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
