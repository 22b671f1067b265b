import { Readable } from "node:stream";
import { auditInsert } from "#audit/store.ts";
import { Type, type TSchema } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { AccountAnswer } from "../answer.ts";
import { AuditEventAnswer } from "#accounts/audit/audit-query.ts";
import { createLimit } from "../limit.ts";
import { accountSections } from "./account-sections.ts";
import { writeSections, type ExportSection } from "./sections.ts";

/** The sections that other rooms add to an export. */
export interface OtherSections {
  /** The schema of the items of each section, by name. */
  readonly items: Readonly<Record<string, TSchema>>;
  /** Returns the sections for an account, one per schema. */
  of(accountId: string): readonly ExportSection[];
}

interface ExportRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  readonly otherSections: OtherSections;
}

/** Each export reads all data of an account. */
const EXPORT_RATE = { name: "export", burst: 5, perHour: 10 };

const Key = { id: Type.String(), createdAt: Timestamp, lastUsedAt: Nullable(Timestamp) };

/** The schemas of the sections that `accountSections` returns, by name. */
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

/** Registers the export of the caller's account. */
export function registerExportRoute(server: Server, deps: ExportRouteDeps): void {
  const { context, authenticate, otherSections } = deps;
  const limit = createLimit(context, EXPORT_RATE);
  // Fastify cannot check the type of a streamed response.
  const others = Object.entries(otherSections.items).map(
    ([name, item]) => [name, Type.Array(item)] as const,
  );
  const document: TSchema = Type.Object({ ...OwnParts, ...Object.fromEntries(others) });
  const schema = {
    operationId: "exportMe",
    refusals: [429],
    tags: ["Account"],
    summary: "Export my account as one JSON document, streamed",
    response: {
      200: {
        description: "Everything except secrets and push addresses.",
        content: { "application/json": { schema: document } },
      },
    },
  };
  server.get("/api/app/v1/me/export", { schema }, async (request, reply) => {
    const person = await authenticate(request);
    const { accountId: id, actor } = person;
    await limit.take(id);
    const event = { action: "export_made", actor, accountId: id } as const;
    await context.database.atomically([auditInsert(context, event)]);
    const { email, name, isAdmin, isEmailVerified } = person;
    const account = { id, email, name, isAdmin, isEmailVerified };
    const sections = [...(await accountSections(context, account)), ...otherSections.of(id)];
    return reply
      .type("application/json")
      .header("content-disposition", 'attachment; filename="tocsin-account.json"')
      .send(Readable.from(writeSections(sections)));
  });
}
