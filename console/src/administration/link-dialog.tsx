import { Modal, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyableText } from "../page/copyable-text.tsx";

interface LinkDialogProps {
  readonly title: string;
  readonly text: string;
  /** Null while there is no link to show. */
  readonly link: string | null;
  readonly onClose: () => void;
}

/** A dialog with a link for the administrator to pass on. The link is shown only once. */
export function LinkDialog({ title, text, link, onClose }: LinkDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={link !== null}
      onClose={onClose}
      title={title}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        <CopyableText name={t("admin.link")} text={link ?? ""} />
      </Stack>
    </Modal>
  );
}
