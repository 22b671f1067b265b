import { Modal, Select, Switch, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../page/form.tsx";
import { createDialectKey } from "./dialect-key-queries.ts";
import { useDialects } from "./dialects-query.ts";
import { OFFERED_DIALECTS, SERVICE_NAMES } from "./dialects.ts";
import { createKey } from "./key-queries.ts";

/** Lifetimes of a key in days; null for a key that does not expire. */
const LIFETIME_DAYS = { forever: null, month: 30, quarter: 90, year: 365 } as const;

type Lifetime = keyof typeof LIFETIME_DAYS;

/** The programs that a key is for: our own API's, or those of another service. */
type Purpose = "own" | (typeof OFFERED_DIALECTS)[number];

interface CreateKeyDialogProps {
  /** Omitted for a key of the account. */
  readonly teamId?: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that creates an API key of the account or of a team. */
export function CreateKeyDialog({ teamId, isOpen, onClose }: CreateKeyDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [lifetime, setLifetime] = useState<Lifetime>("forever");
  const [purpose, setPurpose] = useState<Purpose>("own");
  const [isPostOnly, setIsPostOnly] = useState(false);
  const dialects = useDialects();
  const offered = OFFERED_DIALECTS.filter((dialect) => dialects.includes(dialect));
  const field = {
    name: "label",
    label: t("key.label"),
    hint: t("key.labelHint"),
    type: "text",
    autoComplete: "off",
    isOptional: true,
  } as const;
  const create = async (getValue: (name: string) => string) => {
    const days = LIFETIME_DAYS[lifetime];
    const expiresAt = days === null ? null : toExpiryDate(days);
    const input = { teamId, label: getValue("label").trim(), expiresAt, isPostOnly };
    if (purpose === "own") await createKey(queryClient, input);
    else {
      const channel = namesChannel(purpose) ? getValue("channel").trim() : "";
      await createDialectKey(queryClient, { ...input, dialect: purpose, channel });
    }
    setIsPostOnly(false);
    setPurpose("own");
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("key.newKey")}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Form fields={[field]} submitLabel={t("key.create")} onSubmit={create}>
        <PurposeInput offered={offered} purpose={purpose} onChange={setPurpose} />
        <Select<Lifetime>
          size="md"
          label={t("key.validity")}
          allowDeselect={false}
          value={lifetime}
          onChange={(selected) => setLifetime(selected ?? "forever")}
          data={(["forever", "month", "quarter", "year"] as const).map((value) => ({
            value,
            label: t(`key.validityOptions.${value}`),
          }))}
        />
        <Switch
          label={t("key.postOnly")}
          description={t("key.postOnlyHint")}
          checked={isPostOnly}
          onChange={({ currentTarget: { checked } }) => setIsPostOnly(checked)}
        />
      </Form>
    </Modal>
  );
}

interface PurposeInputProps {
  /** The APIs of other services that the server speaks. */
  readonly offered: readonly Exclude<Purpose, "own">[];
  readonly purpose: Purpose;
  readonly onChange: (purpose: Purpose) => void;
}

/**
 * Returns whether a key may set the channel. Programs for ntfy and for our own API name a channel in each notification.
 */
function namesChannel(purpose: Purpose): boolean {
  return purpose === "gotify" || purpose === "pushover";
}

/** The choice of the programs that a key is for; absent if the server speaks no API but our own. */
function PurposeInput({ offered, purpose, onChange }: PurposeInputProps) {
  const { t } = useTranslation();
  const name = purpose === "own" ? null : SERVICE_NAMES[purpose];
  if (offered.length === 0) return null;
  return (
    <>
      <Select<Purpose>
        size="md"
        label={t("dialect.for")}
        {...(name === null ? {} : { description: t("dialect.programsHint", { name }) })}
        allowDeselect={false}
        value={purpose}
        onChange={(selected) => onChange(selected ?? "own")}
        data={[
          { value: "own" as const, label: t("dialect.own") },
          ...offered.map((dialect) => ({
            value: dialect,
            label: t("dialect.programs", { name: SERVICE_NAMES[dialect] }),
          })),
        ]}
      />
      {namesChannel(purpose) && (
        <TextInput
          size="md"
          name="channel"
          label={t("dialect.channel")}
          description={t("dialect.channelHint")}
          autoComplete="off"
          pattern="[A-Za-z0-9\-]{1,64}"
        />
      )}
    </>
  );
}

function toExpiryDate(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return date.toISOString();
}
