import { Modal, Select, Switch } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../page/form.tsx";
import { createKey } from "./key-queries.ts";

/** Lifetimes of a key in days; null for a key that does not expire. */
const LIFETIME_DAYS = { forever: null, month: 30, quarter: 90, year: 365 } as const;

type Lifetime = keyof typeof LIFETIME_DAYS;

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
  const [isPostOnly, setIsPostOnly] = useState(false);
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
    await createKey(queryClient, {
      teamId,
      label: getValue("label").trim(),
      expiresAt,
      isPostOnly,
    });
    setIsPostOnly(false);
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

function toExpiryDate(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return date.toISOString();
}
