import { Modal, Select, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { ApiKey } from "@tocsin/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "../page/action-button.tsx";
import { showToast } from "../page/toasts.ts";
import { rotateDialectKey } from "./dialect-key-queries.ts";
import { rotateKey } from "./key-queries.ts";

interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Times in seconds for which both keys work. */
const OVERLAP_SECONDS = {
  none: 0,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
} as const;

type Overlap = keyof typeof OVERLAP_SECONDS;

/** A dialog that replaces a key. It asks how long the old key keeps working. */
export function RotateKeyDialog({ apiKey, isOpen, onClose }: RotateKeyDialogProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [overlap, setOverlap] = useState<Overlap>("day");
  const { id, hint, dialect } = apiKey;
  const rotate = async () => {
    const overlapSeconds = OVERLAP_SECONDS[overlap];
    if (dialect === null) await rotateKey(queryClient, id, overlapSeconds);
    else await rotateDialectKey(queryClient, { id, dialect }, overlapSeconds);
    showToast(t("key.rotated", { hint }));
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("key.rotateTitle", { hint })}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        <Text size="sm">{t("key.rotateText")}</Text>
        <Select<Overlap>
          label={t("key.overlap")}
          allowDeselect={false}
          value={overlap}
          onChange={(selected) => setOverlap(selected ?? "day")}
          data={(["none", "hour", "day", "week", "month"] as const).map((value) => ({
            value,
            label: t(`key.overlaps.${value}`),
          }))}
        />
        <ActionButton run={rotate}>{t("key.rotate")}</ActionButton>
      </Stack>
    </Modal>
  );
}
