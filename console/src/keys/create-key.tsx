import { Modal, Select, Switch } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../page/form.tsx";
import { createKey } from "./key-queries.ts";

/** Lifetimes of a key in days; null for a key that does not expire. */
const LIFETIME_DAYS = { forever: null, month: 30, quarter: 90, year: 365 } as const;

type Lifetime = keyof typeof LIFETIME_DAYS;

export interface CreateKeyProps {
  /** Omitted for a key of the account. */
  readonly teamId?: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A dialog that creates an API key of the account or of a team. */
export function CreateKey({ teamId, isOpen, onClose }: CreateKeyProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [lifetime, setLifetime] = useState<Lifetime>("forever");
  const [isPostOnly, setPostOnly] = useState(false);
  const field = {
    name: "label",
    label: t("key.label"),
    hint: t("key.labelHint"),
    type: "text",
    autoComplete: "off",
    isOptional: true,
  } as const;
  const create = async (valueOf: (name: string) => string) => {
    const days = LIFETIME_DAYS[lifetime];
    const expiresAt = days === null ? null : dateIn(days);
    await createKey(queryClient, { teamId, label: valueOf("label").trim(), expiresAt, isPostOnly });
    setPostOnly(false);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("key.make")}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Form fields={[field]} submit={t("key.create")} onSubmit={create}>
        <Select<Lifetime>
          size="md"
          label={t("key.life")}
          allowDeselect={false}
          value={lifetime}
          onChange={(selected) => setLifetime(selected ?? "forever")}
          data={(["forever", "month", "quarter", "year"] as const).map((value) => ({
            value,
            label: t(`key.lives.${value}`),
          }))}
        />
        <Switch
          label={t("key.postOnly")}
          description={t("key.postOnlyHint")}
          checked={isPostOnly}
          onChange={({ currentTarget: { checked } }) => setPostOnly(checked)}
        />
      </Form>
    </Modal>
  );
}

function dateIn(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return date.toISOString();
}
