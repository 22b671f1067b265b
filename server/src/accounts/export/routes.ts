import { Readable } from "node:stream";
import { auditInsert } from "#audit/store.ts";
import { Type, type TSchema } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { AccountAnswer } from "../answer.ts";
import { AuditEventAnswer } from "#accounts/audit/query.ts";
import { createLimit } from "../limit.ts";
import { ownParts } from "./own-parts.ts";
import { writeParts, type ExportPart } from "./parts.ts";

/** The parts that other rooms add to an export. */
export interface OtherParts {
  /** The schema of the items of each part, by its name. */
  readonly items: Readonly<Record<string, TSchema>>;
  /** Returns their parts for an account, one for every schema. */
  of(accountId: string): readonly ExportPart[];
}

interface ExportRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  readonly otherParts: OtherParts;
}

/** Each export reads everything of an account. */
const EXPORT_RATE = { name: "export", burst: 5, perHour: 10 };

const Key = { id: Type.String(), createdAt: Timestamp, lastUsedAt: Nullable(Timestamp) };

/** The schemas of the parts that `ownParts` returns, by name. */
const OwnParts = {
  exportedAt: Timestamp,
  account: Type.Object({
    ...AccountAnswer.properties,
    isEmailVerified: Type.Boolean(),
    isTwoFactorOn: Type.Boolean(),
  }),
  sessions: Type.Array(
    Type.Object({
      id: Type.String(),
      createdAt: Timestamp,
      lastSeenAt: Timestamp,
      userAgent: Nullable(Type.String()),
    }),
  ),
  accessTokens: Type.Array(Type.Object({ ...Key, label: Type.String() })),
  passkeys: Type.Array(Type.Object({ ...Key, name: Type.String() })),
  audit: Type.Array(AuditEventAnswer),
};

/** Registers the export of one's own account. */
export function registerExportRoute(server: Server, deps: ExportRouteDeps): void {
  const { context, authenticate, otherParts } = deps;
  const limit = createLimit(context, EXPORT_RATE);
  // A streamed answer has no type that Fastify could check it against.
  const others = Object.entries(otherParts.items).map(
    ([name, item]) => [name, Type.Array(item)] as const,
  );
  const whole: TSchema = Type.Object({ ...OwnParts, ...Object.fromEntries(others) });
  const schema = {
    operationId: "exportMe",
    refusals: [429],
    tags: ["Account"],
    summary: "Export my account as one JSON document, streamed",
    response: {
      200: {
        description: "Everything except secrets and push addresses.",
        content: { "application/json": { schema: whole } },
      },
    },
  };
  server.get("/api/app/v1/me/export", { schema }, async (request, reply) => {
    const person = await authenticate(request);
    const { accountId: id, actor: by } = person;
    await limit.take(id);
    const event = { action: "export_made", by, accountId: id } as const;
    await context.database.atomically([auditInsert(context, event)]);
    const { email, name, isAdmin, isEmailVerified } = person;
    const account = { id, email, name, isAdmin, isEmailVerified };
    const parts = [...(await ownParts(context, account)), ...otherParts.of(id)];
    return reply
      .type("application/json")
      .header("content-disposition", 'attachment; filename="tocsin-account.json"')
      .send(Readable.from(writeParts(parts)));
  });
}
