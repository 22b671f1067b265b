import { Code, Group, Progress, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { BackupStatus } from "@tocsin/sdk";
import { useTranslation } from "react-i18next";
import { client } from "../client.ts";
import { getCurrentLanguage } from "../language/language.ts";
import { ActionButton } from "../page/action-button.tsx";
import { Card } from "../page/card.tsx";
import { formatTimestamp } from "../page/timestamp.tsx";
import { QueryContent } from "../page/query-states.tsx";
import { backupQuery } from "./administration-queries.ts";
import classes from "./administration.module.css";
import { formatSize } from "./format-size.ts";

/**
 * A card that starts a backup on the server's disk and shows its progress. On PostgreSQL, it shows the commands to run
 * instead.
 */
export function BackupCard() {
  const { t } = useTranslation();
  const query = useQuery(backupQuery);
  return (
    <Card title={t("admin.backup")}>
      <QueryContent query={query}>
        {(backup) =>
          backup.advice === null ? <SqliteBackup backup={backup} /> : <BackupCommand {...backup} />
        }
      </QueryContent>
    </Card>
  );
}

function BackupCommand({ advice }: Pick<BackupStatus, "advice">) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">{t("admin.backupByCommand")}</Text>
      <Code block>{advice}</Code>
    </>
  );
}

function SqliteBackup({ backup }: { readonly backup: BackupStatus }) {
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
        <BackupProgress backup={backup} />
      </div>
      {!isRunning && (
        <Group>
          <ActionButton variant="default" run={start}>
            {t("admin.backupStart")}
          </ActionButton>
        </Group>
      )}
      <BackupFolders backup={backup} />
    </>
  );
}

const PERCENT = 100;

function BackupProgress({ backup }: { readonly backup: BackupStatus }) {
  const { t } = useTranslation();
  const { state, at, message, keyId, copiedBytes, totalBytes } = backup;
  const finishedAtText = at === null ? "" : formatTimestamp(at);
  switch (state) {
    case "none":
      return null;
    case "running": {
      const percent = Math.min(
        PERCENT,
        Math.round((PERCENT * copiedBytes) / Math.max(1, totalBytes)),
      );
      return (
        <>
          <Text size="sm">{t("admin.backupRunning", { part: percent })}</Text>
          <Progress value={percent} aria-label={t("admin.backupProgress")} mt="xs" />
        </>
      );
    }
    case "made":
      return (
        <Text size="sm">
          {t("admin.backupDone", { when: finishedAtText })}{" "}
          {keyId !== null && t("admin.backupKey", { keyId })}
        </Text>
      );
    case "failed":
      return (
        <Text size="sm" c="var(--mantine-color-error)">
          {t("admin.backupFailed", { when: finishedAtText, message })}
        </Text>
      );
  }
}

function BackupFolders({ backup: { made } }: { readonly backup: BackupStatus }) {
  const { t } = useTranslation();
  if (made.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={600}>
        {t("admin.existingBackups")}
      </Text>
      <ul className={classes["limits"]}>
        {made.map(({ folder, sizeBytes }) => (
          <li key={folder}>
            <Code>{folder}</Code>
            <Text size="sm" c="dimmed">
              {formatSize(sizeBytes, getCurrentLanguage())}
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}
