import { Badge, Text } from "@mantine/core";
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { AccountSession } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../../client.ts";
import { isNotFound } from "../../errors.ts";
import { getCurrentLanguage } from "../../language/language.ts";
import { ActionButton } from "../../page/action-button.tsx";
import { ListItem } from "../../page/list.tsx";
import { formatTimestamp } from "../../page/timestamp.tsx";
import { showToast } from "../../page/toasts.ts";
import { formatLastSeen } from "./format-last-seen.ts";
import { toPairedSessionError } from "./to-paired-session-error.ts";
import { refetchQueries, sessionsQuery } from "./profile-queries.ts";

const MOBILE_USER_AGENT = /iPhone|iPad|Android/;

/** A session in the list, with a button to end it if it is not this browser's session. */
export function SessionItem({ session }: { readonly session: AccountSession }) {
  const { t } = useTranslation();
  const { id, userAgent, createdAt, lastSeenAt, isCurrent, isPaired } = session;
  const [browser = "", system] = userAgent?.split(" on ") ?? [];
  const name =
    userAgent === null || system === undefined
      ? (userAgent ?? t("profile.unknownBrowser"))
      : t("profile.browserOn", { browser, system });
  const lastSeen = formatLastSeen(lastSeenAt, { now: new Date(), language: getCurrentLanguage() });
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
      actions={!isCurrent && <EndSessionButton id={id} name={name} />}
    >
      <Text size="sm" c="dimmed">
        {t(isPaired ? "profile.pairedAt" : "profile.signedInAt", {
          when: formatTimestamp(createdAt),
        })}
        {!isCurrent && ` · ${t("profile.lastSeen", { when: lastSeen })}`}
      </Text>
    </ListItem>
  );
}

function EndSessionButton({ id, name }: { readonly id: string; readonly name: string }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const endSession = async () => {
    await client.sessions.remove(id).catch((error: unknown) => {
      if (!isNotFound(error)) throw toPairedSessionError(error);
    });
    await refetchQueries(queryClient, sessionsQuery);
    showToast(t("profile.sessionEnded", { name }));
  };
  return (
    <ActionButton
      variant="default"
      run={endSession}
      aria-label={t("profile.endSessionOf", { name })}
    >
      {t("profile.endSession")}
    </ActionButton>
  );
}
