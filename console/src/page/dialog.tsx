import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** Whether a click outside leaves the dialog open. Set it if the content is shown only once. */
  readonly isPersistent?: boolean;
  readonly children: ReactNode;
}

/** A dialog over the page. Its content is mounted each time the dialog opens. */
export function Dialog({ isOpen, title, onClose, isPersistent = false, children }: DialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeOnClickOutside={!isPersistent}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      {children}
    </Modal>
  );
}
