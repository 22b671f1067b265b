import { Modal, Select, Switch } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../page/form.tsx";
import { makeKey } from "./key-queries.ts";

/** Lifetimes of a key, in days; null for one that does not expire. */
const LIVES = { forever: null, month: 30, quarter: 90, year: 365 } as const;

type Life = keyof typeof LIVES;

export interface NewKeyProps {
  /** Left out for a key of the account. */
  readonly teamId?: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Makes an API key of the account or of a team. */
export function NewKey({ teamId, isOpen, onClose }: NewKeyProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [life, setLife] = useState<Life>("forever");
  const [isPostOnly, setPostOnly] = useState(false);
  const label = {
    name: "label",
    label: t("key.label"),
    hint: t("key.labelHint"),
    type: "text",
    autoComplete: "off",
    isOptional: true,
  } as const;
  const make = async (valueOf: (name: string) => string) => {
    const days = LIVES[life];
    const expiresAt = days === null ? null : inDays(days);
    await makeKey(queryClient, { teamId, label: valueOf("label").trim(), expiresAt, isPostOnly });
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
      <Form fields={[label]} submit={t("key.create")} onSubmit={make}>
        <Select<Life>
          size="md"
          label={t("key.life")}
          allowDeselect={false}
          value={life}
          onChange={(chosen) => setLife(chosen ?? "forever")}
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

function inDays(days: number): string {
  const at = new Date();
  at.setDate(at.getDate() + days);
  return at.toISOString();
}
