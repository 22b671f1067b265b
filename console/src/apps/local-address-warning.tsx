import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { getReachability } from "../devices/pairing/reachability.ts";

/** A warning that the server's address leads a phone to itself; renders nothing for any other. Apps need no HTTPS. */
export function LocalAddressWarning({ url }: { readonly url: string }) {
  const { t } = useTranslation();
  if (getReachability(url) !== "local") return null;
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} aria-hidden />}>
      <Text size="sm" fw={600}>
        {t("pairing.localTitle")}
      </Text>
      {t("app.localText", { origin: new URL(url).origin })}
    </Alert>
  );
}
