import { join } from "node:path";
import { BackupJob } from "#administration/backup/backup-job.ts";
import { ReleaseChecker } from "#administration/health/release-checker.ts";
import type { AdministrationRouteDeps } from "#administration/routes.ts";
import { insertEventQuery } from "#audit/store.ts";
import { MIGRATION_NAMES } from "#database/migration.ts";
import { countQueuedMails } from "#mail/store/outbox.ts";
import { formatPostgresAdvice } from "#operator/postgres-backup-advice.ts";
import { measureLoopDelay } from "#process/loop-delay.ts";
import { isListedHost } from "#providers/webpush/endpoint-policy.ts";
import packageJson from "../../package.json" with { type: "json" };
import { ACCOUNT_LIMITS } from "./account-limits.ts";
import type { AppOptions, Rooms } from "./rooms.ts";

/** Imports `tocsin doctor` when an administrator first needs it. */
const loadDoctor = async () => import("#doctor/doctor.ts");

/** Returns the dependencies of the administration routes, from all rooms and from `tocsin doctor`. */
export function createAdministration(options: AppOptions, rooms: Rooms): AdministrationRouteDeps {
  const { config, log: _log, ...providerOptions } = options;
  const { context, vapidPublicKey, getContact, delivery, mail } = rooms;
  const { authenticate, authenticateAdministrator } = rooms;
  return {
    context,
    config,
    authenticate,
    authenticateAdministrator,
    onDeviceChanged: rooms.publisher.publishDevice,
    vapidPublicKey,
    getContact,
    isListedHost: (host) => isListedHost(config.webPush, host),
    delivery,
    mail: {
      getLatestOutcomes: () => mail.latestOutcomes,
      countQueuedMails: () => countQueuedMails(context),
    },
    loopDelay: (loopDelay ??= measureLoopDelay()),
    version: packageJson.version,
    lastMigration: MIGRATION_NAMES.at(-1) ?? "",
    startedAt: context.now(),
    publicUrl: config,
    backupJob: createBackupJob(options, rooms),
    examineProvider: async (provider) =>
      (await loadDoctor()).examineProvider(provider, {
        config,
        getContact,
        ...providerOptions,
      }),
    limits: ACCOUNT_LIMITS,
    releaseChecker: createReleaseChecker(config, context),
    examineMachine: async () => (await loadDoctor()).examineMachine(config, getContact),
    async sendTestMail(to) {
      const { sendTestMail } = await import("#doctor/mail.ts");
      return { subject: "mail", ...(await sendTestMail(config, createTestMail(to, config))) };
    },
  };
}

/** The measurement of the event loop's delay, which all servers in this process share. */
let loopDelay: ReturnType<typeof measureLoopDelay> | null = null;

/**
 * Returns the backup job on SQLite. On PostgreSQL it returns advice, because PostgreSQL's own tools make the backup.
 */
function createBackupJob({ config, now }: AppOptions, { context }: Rooms): BackupJob | string {
  const { database, dataDir } = config;
  if (database.kind === "postgres") return formatPostgresAdvice(database, "tocsin.dump");
  return new BackupJob({
    context,
    databasePath: database.path,
    backupsFolder: join(dataDir, "backups"),
    async createBackup({ folder, actor, signal }) {
      const record = async () => {
        const event = { action: "backup_made", actor, accountId: null } as const;
        await context.database.atomically([insertEventQuery(context, event)]);
        return true;
      };
      const { createBackup: backup } = await import("#operator/backup.ts");
      const { sizeBytes, keyId } = await backup({ config, now, signal, record }, folder);
      return { sizeBytes, keyId };
    },
  });
}

function createReleaseChecker(
  { releasesUrl: url }: AppOptions["config"],
  { elapsed }: Rooms["context"],
) {
  return url === null ? null : new ReleaseChecker({ url, version: packageJson.version, elapsed });
}

function createTestMail(to: string, { baseUrl }: AppOptions["config"]) {
  return {
    to,
    subject: "Email from Tocsin works",
    text: `An administrator of this server sent this email:
${baseUrl}

It shows that the server can send email. There is nothing to do.
`,
  };
}
