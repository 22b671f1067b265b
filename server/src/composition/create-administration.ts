import { join } from "node:path";
import { BackupJob } from "#administration/backup/backup-job.ts";
import { Releases } from "#administration/health/releases.ts";
import type { AdministrationRouteDeps } from "#administration/routes.ts";
import { auditInsert } from "#audit/store.ts";
import { STEP_NAMES } from "#database/migration.ts";
import { countOwedMails } from "#mail/store/outbox.ts";
import { postgresAdvice } from "#operator/postgres-advice.ts";
import { measureLoopDelay } from "#process/loop-delay.ts";
import { isNamed } from "#providers/webpush/endpoint-policy.ts";
import manifest from "../../package.json" with { type: "json" };
import { LIMITS } from "./limits.ts";
import type { AppOptions, Rooms } from "./rooms.ts";

/** Loaded when an administrator first needs it. */
const doctor = async () => import("#doctor/doctor.ts");

/** Returns the dependencies of the administration routes, from all rooms and from `tocsin doctor`. */
export function createAdministration(options: AppOptions, rooms: Rooms): AdministrationRouteDeps {
  const { config, log: _log, ...seams } = options;
  const { context, vapidPublicKey, contact, delivery, mail } = rooms;
  const { authenticate, authenticateAdministrator } = rooms;
  return {
    context,
    config,
    authenticate,
    authenticateAdministrator,
    onDeviceChanged: rooms.publisher.device,
    vapidPublicKey,
    contact,
    isNamedHost: (host) => isNamed(config.webPush, host),
    delivery,
    mail: { record: () => mail.record, countOwed: () => countOwedMails(context) },
    loopDelay: (loopDelay ??= measureLoopDelay()),
    version: manifest.version,
    step: STEP_NAMES.at(-1) ?? "",
    startedAt: context.now(),
    address: config,
    backups: createBackups(options, rooms),
    examineProvider: async (provider) =>
      (await doctor()).examineProvider(provider, { config, contact, ...seams }),
    limits: LIMITS,
    releases: createReleases(config, context),
    examineMachine: async () => (await doctor()).examineMachine(config, contact),
    async tryMail(to) {
      const { tryMail } = await import("#doctor/mail.ts");
      return { subject: "mail", ...(await tryMail(config, createTestMail(to, config))) };
    },
  };
}

/** The measurement of this process, which all servers in it share. */
let loopDelay: ReturnType<typeof measureLoopDelay> | null = null;

/**
 * Returns the backup job on SQLite. On PostgreSQL it returns advice, because the backup tools are not on this machine.
 */
function createBackups({ config, now }: AppOptions, { context }: Rooms): BackupJob | string {
  const { database, dataDir } = config;
  if (database.kind === "postgres") return postgresAdvice(database, "tocsin.dump");
  return new BackupJob({
    context,
    databasePath: database.path,
    parent: join(dataDir, "backups"),
    async makeBackup({ folder, actor, signal }) {
      const record = async () => {
        const event = { action: "backup_made", actor, accountId: null } as const;
        await context.database.atomically([auditInsert(context, event)]);
        return true;
      };
      const { backup } = await import("#operator/backup.ts");
      const { sizeBytes, keyId } = await backup({ config, now, signal, record }, folder);
      return { sizeBytes, keyId };
    },
  });
}

function createReleases({ releasesUrl: url }: AppOptions["config"], { elapsed }: Rooms["context"]) {
  return url === null ? null : new Releases({ url, version: manifest.version, elapsed });
}

function createTestMail(to: string, { baseUrl }: AppOptions["config"]) {
  return {
    to,
    subject: "Mail from Tocsin works",
    text: `This mail was sent by an administrator of
${baseUrl}

to see whether mail works. It does. There is nothing to do.
`,
  };
}
