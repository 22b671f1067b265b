import { Badge, Text } from "@mantine/core";
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { AccountSession } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { isMissing } from "../../errors.ts";
import { currentLanguage } from "../../language/language.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { ListItem } from "../../page/list.tsx";
import { formatTimestamp } from "../../page/timestamp.tsx";
import { showToast } from "../../page/toasts.ts";
import { formatLastSeen } from "./format-last-seen.ts";
import { explainPairedSession } from "./explain-paired-session.ts";
import { refresh, sessionsQuery } from "./profile-queries.ts";

const MOBILE_USER_AGENT = /iPhone|iPad|Android/;

/** A session in the list, with a button to end it. */
export function SessionItem({ session }: { readonly session: AccountSession }) {
  const { t } = useTranslation();
  const { id, userAgent, createdAt, lastSeenAt, isCurrent, isPaired } = session;
  const [browser = "", system] = userAgent?.split(" on ") ?? [];
  const name =
    userAgent === null || system === undefined
      ? (userAgent ?? t("profile.unknownBrowser"))
      : t("profile.browserOn", { browser, system });
  const lastSeen = formatLastSeen(lastSeenAt, { now: new Date(), language: currentLanguage() });
  return (
    <ListItem
      id={id}
      icon={MOBILE_USER_AGENT.test(userAgent ?? "") ? IconDeviceMobile : IconDeviceDesktop}
      title={name}
      badge={
        isCurrent && (
          <Badge color="green" variant="light">
            {t("profile.thisBrowser")}
          </Badge>
        )
      }
      actions={!isCurrent && <EndButton id={id} name={name} />}
    >
      <Text size="sm" c="dimmed">
        {t(isPaired ? "profile.pairedAt" : "profile.signedInAt", {
          when: formatTimestamp(createdAt),
        })}
        {!isCurrent && ` · ${t("profile.seen", { when: lastSeen })}`}
      </Text>
    </ListItem>
  );
}

function EndButton({ id, name }: { readonly id: string; readonly name: string }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const end = async () => {
    await client.sessions.remove(id).catch((error: unknown) => {
      if (!isMissing(error)) throw explainPairedSession(error);
    });
    await refresh(queryClient, sessionsQuery);
    showToast(t("profile.sessionEnded", { name }));
  };
  return (
    <ActionButton variant="default" run={end} aria-label={t("profile.endSessionOf", { name })}>
      {t("profile.endSession")}
    </ActionButton>
  );
}
