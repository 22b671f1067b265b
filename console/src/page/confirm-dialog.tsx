import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ActionButton } from "./action-button.tsx";

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly message: ReactNode;
  readonly actionLabel: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** A dialog that asks for a confirmation before an action, and closes after it. */
export function ConfirmDialog({
  isOpen,
  title,
  message,
  actionLabel,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const { t } = useTranslation();
  const confirm = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack>
        <Text size="sm">{message}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("page.cancel")}
          </Button>
          <ActionButton color="red" run={confirm}>
            {actionLabel}
          </ActionButton>
        </Group>
      </Stack>
    </Modal>
  );
}
