import { Readable } from "node:stream";
import { insertEventQuery } from "#audit/store.ts";
import { Type, type TSchema } from "#schema/json-schema.ts";
import type { Context } from "#context.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { AccountResponse } from "../response.ts";
import { AuditEventResponse } from "#accounts/audit/audit-query.ts";
import { createAttemptLimit } from "../attempt-limit.ts";
import { createAccountSections } from "./account-sections.ts";
import { writeSections, type ExportSection } from "./sections.ts";

/** The sections that other rooms add to an export. */
export interface OtherSections {
  /** The schema of the items of each section, by name. */
  readonly itemSchemas: Readonly<Record<string, TSchema>>;
  /** Returns the sections for an account, one per schema. */
  createSections(accountId: string): readonly ExportSection[];
}

interface ExportRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  readonly otherSections: OtherSections;
}

/** Limits exports per account, because each reads all of its rows. */
const EXPORT_RATE = { name: "export", burst: 5, perHour: 10 };

const CredentialFields = {
  id: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
};

/** The schemas of the sections that `createAccountSections` returns, by name. */
const OwnSectionSchemas = {
  exportedAt: Timestamp,
  account: Type.Object({
    ...AccountResponse.properties,
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
  accessTokens: Type.Array(Type.Object({ ...CredentialFields, label: Type.String() })),
  passkeys: Type.Array(Type.Object({ ...CredentialFields, name: Type.String() })),
  audit: Type.Array(AuditEventResponse),
};

/** Registers the export of the caller's account. */
export function registerExportRoute(server: Server, deps: ExportRouteDeps): void {
  const { context, authenticate, otherSections } = deps;
  const limit = createAttemptLimit(context, EXPORT_RATE);
  const otherSchemas = Object.entries(otherSections.itemSchemas).map(
    ([name, item]) => [name, Type.Array(item)] as const,
  );
  // Typed as any schema, because Fastify cannot check the type of a streamed response.
  const documentSchema: TSchema = Type.Object({
    ...OwnSectionSchemas,
    ...Object.fromEntries(otherSchemas),
  });
  const schema = {
    operationId: "exportMe",
    errorStatuses: [429],
    tags: ["Account"],
    summary: "Export my account as one JSON document, streamed",
    response: {
      200: {
        description: "Everything except secrets and push addresses.",
        content: { "application/json": { schema: documentSchema } },
      },
    },
  };
  server.get("/api/app/v1/me/export", { schema }, async (request, reply) => {
    const person = await authenticate(request);
    const { accountId: id, actor } = person;
    await limit.take(id);
    const event = { action: "export_made", actor, accountId: id } as const;
    await context.database.atomically([insertEventQuery(context, event)]);
    const { email, name, isAdmin, isEmailVerified } = person;
    const account = { id, email, name, isAdmin, isEmailVerified };
    const sections = [
      ...(await createAccountSections(context, account)),
      ...otherSections.createSections(id),
    ];
    return reply
      .type("application/json")
      .header("content-disposition", 'attachment; filename="tocsin-account.json"')
      .send(Readable.from(writeSections(sections)));
  });
}
