import { requireDirectSession } from "#accounts/other-accounts/direct-session.ts";
import { createAttemptLimit } from "#accounts/attempt-limit.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { BackupJob, BackupState } from "./backup-job.ts";

/** The dependencies of the backup routes. */
export interface BackupRouteDeps {
  readonly context: Context;
  readonly authenticateAdministrator: Authenticate;
  /** The backup job for SQLite, or instructions to show instead for PostgreSQL. */
  readonly backupJob: BackupJob | string;
}

const BACKUP_PATH = "/api/app/v1/admin/backup";
const tags = ["Administration"];
/** Limit per administrator, because each backup needs as much disk space as the database. */
const BACKUP_RATE = { name: "backups", burst: 3, perHour: 6 };

const BackupSchema = Type.Object({
  advice: Nullable(
    Type.String({
      description: "How to back up this database instead; null if the server can do it.",
    }),
  ),
  state: Type.Enum(["none", "running", "made", "failed"]),
  folder: Nullable(Type.String({ description: "The folder of the backup on the server." })),
  at: Nullable(Timestamp),
  keyId: Nullable(
    Type.String({
      description: "The master key, which is not in the backup; null if nothing is sealed.",
    }),
  ),
  message: Nullable(Type.String({ description: "Why the backup failed." })),
  copiedBytes: Type.Integer(),
  totalBytes: Type.Integer(),
  made: Type.Array(Type.Object({ folder: Type.String(), sizeBytes: Type.Integer() }), {
    description: "The backups that the server made in its data folder and still has, newest first.",
  }),
});

/** Registers the operations that start and show backups. */
export function registerBackupRoutes(server: Server, deps: BackupRouteDeps): void {
  const { backupJob } = deps;
  if (typeof backupJob !== "string") server.addHook("preClose", () => backupJob.stop());
  const showSchema = {
    operationId: "getBackup",
    tags,
    summary: "Show the state of a backup and the backups made; on PostgreSQL, what to do instead",
    response: { 200: BackupSchema },
  };
  server.get(BACKUP_PATH, { schema: showSchema }, async (request) => {
    await deps.authenticateAdministrator(request);
    return toResponse(backupJob);
  });
  const rateLimit = createAttemptLimit(deps.context, BACKUP_RATE);
  const startSchema = {
    operationId: "startBackup",
    errorStatuses: [409, 429],
    tags,
    summary: "Start a backup in the folder `backups` of the data folder, while the server runs",
    description:
      "Makes a complete and checked backup or none, as `tocsin backup` does. Responds with `conflict` on PostgreSQL, while another backup runs, and if the disk has no room. Needs a session that was opened by signing in: access tokens, and browsers that another one added, are refused.",
    response: { 202: BackupSchema },
  };
  server.post(BACKUP_PATH, { schema: startSchema }, async (request, reply) => {
    const administrator = await deps.authenticateAdministrator(request);
    await requireDirectSession(deps.context, administrator);
    if (typeof backupJob === "string") throw new AppError("conflict", backupJob);
    await rateLimit.take(administrator.accountId);
    await backupJob.start(administrator.actor);
    return reply.code(202).send(await toResponse(backupJob));
  });
}

async function toResponse(backupJob: BackupJob | string) {
  if (typeof backupJob === "string") {
    return { advice: backupJob, ...EMPTY_STATE, copiedBytes: 0, totalBytes: 0, made: [] };
  }
  const { state } = backupJob;
  const [progress, made] = await Promise.all([
    backupJob.measureProgress(),
    backupJob.listBackups(),
  ]);
  return { advice: null, ...toStateFields(state), ...progress, made: [...made] };
}

const EMPTY_STATE = {
  state: "none" as const,
  folder: null,
  at: null,
  keyId: null,
  message: null,
};

function toStateFields(state: BackupState) {
  switch (state.kind) {
    case "none":
      return EMPTY_STATE;
    case "running":
      return {
        ...EMPTY_STATE,
        state: state.kind,
        folder: state.folder,
        at: formatTimestamp(state.startedAt),
      };
    case "made": {
      const { kind, folder, endedAt, keyId } = state;
      return { ...EMPTY_STATE, state: kind, folder, at: formatTimestamp(endedAt), keyId };
    }
    case "failed":
      return {
        ...EMPTY_STATE,
        state: state.kind,
        at: formatTimestamp(state.endedAt),
        message: state.message,
      };
  }
}
