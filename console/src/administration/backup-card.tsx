import { Code, Group, Progress, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { BackupStatus } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { currentLanguage } from "../language/language.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Card } from "../page/card.tsx";
import { momentOf } from "../page/moment.tsx";
import { Loaded } from "../page/states.tsx";
import { backupQuery } from "./administration-queries.ts";
import classes from "./administration.module.css";
import { sizeOf } from "./amount.ts";

/** Makes a backup on the server's disk and shows its progress; on PostgreSQL it says what to do instead. */
export function BackupCard() {
  const { t } = useTranslation();
  const query = useQuery(backupQuery);
  return (
    <Card title={t("admin.backup")}>
      <Loaded query={query}>
        {(backup) =>
          backup.advice === null ? <OwnBackup backup={backup} /> : <Advice {...backup} />
        }
      </Loaded>
    </Card>
  );
}

function Advice({ advice }: Pick<BackupStatus, "advice">) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">{t("admin.backupElsewhere")}</Text>
      <Code block>{advice}</Code>
    </>
  );
}

function OwnBackup({ backup }: { readonly backup: BackupStatus }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isRunning = backup.state === "running";
  const start = async () => {
    queryClient.setQueryData(backupQuery.queryKey, await client.admin.startBackup());
  };
  return (
    <>
      <Text size="sm">{t("admin.backupText")}</Text>
      <div role="status" data-backup={backup.state}>
        <State backup={backup} />
      </div>
      {!isRunning && (
        <Group>
          <ActionButton variant="default" run={start}>
            {t("admin.backupStart")}
          </ActionButton>
        </Group>
      )}
      <Made backup={backup} />
    </>
  );
}

const WHOLE = 100;

function State({ backup }: { readonly backup: BackupStatus }) {
  const { t } = useTranslation();
  const { state, at, message, keyId, copiedBytes, totalBytes } = backup;
  const when = at === null ? "" : momentOf(at);
  switch (state) {
    case "none":
      return null;
    case "running": {
      const part = Math.min(WHOLE, Math.round((WHOLE * copiedBytes) / Math.max(1, totalBytes)));
      return (
        <>
          <Text size="sm">{t("admin.backupRunning", { part })}</Text>
          <Progress value={part} aria-label={t("admin.backupProgress")} mt="xs" />
        </>
      );
    }
    case "made":
      return (
        <Text size="sm">
          {t("admin.backupMade", { when })} {keyId !== null && t("admin.backupKey", { keyId })}
        </Text>
      );
    case "failed":
      return (
        <Text size="sm" c="var(--mantine-color-error)">
          {t("admin.backupFailed", { when, message })}
        </Text>
      );
  }
}

function Made({ backup: { made } }: { readonly backup: BackupStatus }) {
  const { t } = useTranslation();
  if (made.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={600}>
        {t("admin.backupsMade")}
      </Text>
      <ul className={classes["limits"]}>
        {made.map(({ folder, sizeBytes }) => (
          <li key={folder}>
            <Code>{folder}</Code>
            <Text size="sm" c="dimmed">
              {sizeOf(sizeBytes, currentLanguage())}
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}
