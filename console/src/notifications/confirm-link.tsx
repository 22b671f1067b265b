import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../page/dialog.tsx";
import classes from "./confirm-link.module.css";

/** A link with an unknown scheme, for another program. It opens only after a dialog has shown the whole URL. */
export function ConfirmLink({ url }: { readonly url: URL }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const scheme = url.protocol.slice(0, -1);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        onClick={() => setIsOpen(true)}
        aria-haspopup="dialog"
        rightSection={<IconExternalLink size={16} aria-hidden />}
      >
        {t("feed.openWith", { scheme })}
      </Button>
      <Dialog isOpen={isOpen} title={t("feed.confirmLinkTitle")} onClose={close}>
        <Stack>
          <Text size="sm">{t("feed.confirmLinkText", { scheme })}</Text>
          <Code block dir="ltr" className={classes["url"] ?? ""}>
            {url.href}
          </Code>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {t("page.cancel")}
            </Button>
            <Button
              component="a"
              color="red"
              href={url.href}
              rel="noopener noreferrer"
              onClick={close}
            >
              {t("feed.openAnyway")}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
