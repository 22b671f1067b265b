import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

export interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** Whether a press beside it leaves it open, as its content is shown only once. */
  readonly isKept?: boolean;
  readonly children: ReactNode;
}

/** A dialog over the page; its content starts afresh whenever it is opened. */
export function Dialog({ isOpen, title, onClose, isKept = false, children }: DialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeOnClickOutside={!isKept}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      {children}
    </Modal>
  );
}
