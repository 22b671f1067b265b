import { Button, Text } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatTimestamp } from "../../page/timestamp.tsx";
import { refreshFeed } from "./feed-queries.ts";
import classes from "./offline-notice.module.css";

/** Says that the list is a stored copy, because the server is unreachable. */
export function OfflineNotice({ storedAt }: { readonly storedAt: string }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return (
    <div className={classes["note"]} role="status">
      <IconCloudOff size={18} stroke={1.75} aria-hidden />
      <Text size="sm" className={classes["text"] ?? ""}>
        {t("feed.offlineAsOf", { when: formatTimestamp(storedAt) })}
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={() => refreshFeed(queryClient)}>
        {t("state.tryAgain")}
      </Button>
    </div>
  );
}
