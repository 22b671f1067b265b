import { requireDirectSession } from "#accounts/other-accounts/direct-session.ts";
import { createLimit } from "#accounts/limit.ts";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { timestamp } from "#schema/moment.ts";
import type { BackupJob, BackupState } from "./backup-job.ts";

/** The dependencies of the backup routes. */
export interface BackupRouteDeps {
  readonly context: Context;
  readonly authenticateAdministrator: Authenticate;
  /** The backup job for SQLite, or instructions to show instead for PostgreSQL. */
  readonly backups: BackupJob | string;
}

const PATH = "/api/app/v1/admin/backup";
const tags = ["Administration"];
/** Limit per administrator, because each backup needs as much disk space as the database. */
const BACKUP_RATE = { name: "backups", burst: 3, perHour: 6 };

const BackupAnswer = Type.Object({
  advice: Nullable(
    Type.String({
      description: "How to back up this database instead; null if the server can do it.",
    }),
  ),
  state: Type.Enum(["none", "running", "made", "failed"]),
  folder: Nullable(Type.String({ description: "On the server." })),
  at: Nullable(Timestamp),
  keyId: Nullable(
    Type.String({
      description: "The master key, which is not in the backup; null if nothing is sealed.",
    }),
  ),
  message: Nullable(Type.String({ description: "Why it failed." })),
  copiedBytes: Type.Integer(),
  totalBytes: Type.Integer(),
  made: Type.Array(Type.Object({ folder: Type.String(), sizeBytes: Type.Integer() }), {
    description: "Backups that were made here and still exist, newest first.",
  }),
});

/** Registers the operations that start and show backups. */
export function registerBackup(server: Server, deps: BackupRouteDeps): void {
  const { backups } = deps;
  if (typeof backups !== "string") server.addHook("preClose", () => backups.stop());
  const show = {
    operationId: "getBackup",
    tags,
    summary: "Show the state of a backup and the backups made; on PostgreSQL, what to do instead",
    response: { 200: BackupAnswer },
  };
  server.get(PATH, { schema: show }, async (request) => {
    await deps.authenticateAdministrator(request);
    return toAnswer(backups);
  });
  const limit = createLimit(deps.context, BACKUP_RATE);
  const start = {
    operationId: "startBackup",
    refusals: [409, 429],
    tags,
    summary: "Start a backup in the folder `backups` of the data folder, while the server runs",
    description:
      "As `tocsin backup` does: complete and checked, or not at all. Refused with `conflict` on PostgreSQL, while another one runs, and if the disk has no room. Needs a session that was opened by signing in: access tokens, and browsers that another one added, are refused.",
    response: { 202: BackupAnswer },
  };
  server.post(PATH, { schema: start }, async (request, reply) => {
    const person = await deps.authenticateAdministrator(request);
    await requireDirectSession(deps.context, person);
    if (typeof backups === "string") throw new AppError("conflict", backups);
    await limit.take(person.accountId);
    await backups.start(person.actor);
    return reply.code(202).send(await toAnswer(backups));
  });
}

async function toAnswer(backups: BackupJob | string) {
  if (typeof backups === "string") {
    return { advice: backups, ...EMPTY_STATE, copiedBytes: 0, totalBytes: 0, made: [] };
  }
  const { state } = backups;
  const [progress, made] = await Promise.all([backups.progress(), backups.made()]);
  return { advice: null, ...toState(state), ...progress, made: [...made] };
}

const EMPTY_STATE = {
  state: "none" as const,
  folder: null,
  at: null,
  keyId: null,
  message: null,
};

function toState(state: BackupState) {
  switch (state.kind) {
    case "none":
      return EMPTY_STATE;
    case "running":
      return {
        ...EMPTY_STATE,
        state: state.kind,
        folder: state.folder,
        at: timestamp(state.startedAt),
      };
    case "made": {
      const { kind, folder, at, keyId } = state;
      return { ...EMPTY_STATE, state: kind, folder, at: timestamp(at), keyId };
    }
    case "failed":
      return { ...EMPTY_STATE, state: state.kind, at: timestamp(state.at), message: state.message };
  }
}
