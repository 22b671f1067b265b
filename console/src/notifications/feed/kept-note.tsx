import { Button, Text } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { momentOf } from "../../page/moment.tsx";
import { refreshFeed } from "./feed-queries.ts";
import classes from "./kept-note.module.css";

/** Notice that the list is a stored one, since the server does not answer. */
export function KeptNote({ at }: { readonly at: string }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return (
    <div className={classes["note"]} role="status">
      <IconCloudOff size={18} stroke={1.75} aria-hidden />
      <Text size="sm" className={classes["text"] ?? ""}>
        {t("feed.kept", { when: momentOf(at) })}
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={() => refreshFeed(queryClient)}>
        {t("state.tryAgain")}
      </Button>
    </div>
  );
}
