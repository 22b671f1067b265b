import { Button, Modal } from "@mantine/core";
import { IconDeviceMobilePlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { AddApp } from "../../apps/add-app.tsx";
import { useDialects } from "../../keys/dialects-query.ts";

/** A button and its dialog to add a phone. */
export function AddPhoneButton({
  variant = "filled",
}: {
  readonly variant?: "filled" | "default";
}) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  // Loads the dialects, so that the dialog has them when it opens.
  useDialects();
  const close = useCallback(() => setIsOpen(false), []);
  return (
    <>
      <Button
        variant={variant}
        leftSection={<IconDeviceMobilePlus size={18} stroke={1.75} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        {t("pairing.add")}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title={t("pairing.add")}
        closeButtonProps={{ "aria-label": t("shell.close") }}
      >
        <AddApp onDone={close} />
      </Modal>
    </>
  );
}
