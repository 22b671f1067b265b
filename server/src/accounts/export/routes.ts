import { Readable } from "node:stream";
import { auditInsert } from "#audit/store.ts";
import type { Context } from "#context.ts";
import type { Authenticate } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { createLimit } from "../limit.ts";
import { ownParts } from "./own-parts.ts";
import { writeParts, type ExportPart } from "./parts.ts";

interface ExportRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Returns what the other rooms know of an account. */
  readonly otherParts: (accountId: string) => readonly ExportPart[];
}

/** Each reads everything that an account has. */
const EXPORT_RATE = { name: "export", burst: 5, perHour: 10 };

/** Registers how a person takes along everything that is theirs. */
export function registerExportRoute(server: Server, deps: ExportRouteDeps): void {
  const { context, authenticate, otherParts } = deps;
  const limit = createLimit(context, EXPORT_RATE);
  const schema = {
    operationId: "exportMe",
    tags: ["Account"],
    summary: "Everything of my account in one JSON document, written while it is read",
  };
  server.get("/api/app/v1/me/export", { schema }, async (request, reply) => {
    const person = await authenticate(request);
    const { accountId: id, actor: by } = person;
    await limit.take(id);
    const event = { action: "export_made", by, accountId: id } as const;
    await context.database.atomically([auditInsert(context, event)]);
    const { email, name, isAdmin, isEmailVerified } = person;
    const account = { id, email, name, isAdmin, isEmailVerified };
    const parts = [...(await ownParts(context, account)), ...otherParts(id)];
    return reply
      .type("application/json")
      .header("content-disposition", 'attachment; filename="tocsin-account.json"')
      .send(Readable.from(writeParts(parts)));
  });
}
