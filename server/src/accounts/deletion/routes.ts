import { Type } from "#schema/json-schema.ts";
import type { Authenticate } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import type { Auth } from "../auth.ts";
import { requirePasswordOrRecentSignIn, type ConfirmationDeps } from "../confirmation.ts";
import { deleteAccount, type AccountDeletionSteps } from "./delete-account.ts";

interface DeletionRouteDeps extends ConfirmationDeps {
  readonly auth: Auth;
  readonly authenticate: Authenticate;
  readonly deletionSteps: AccountDeletionSteps;
  /** Called after sessions or access tokens of an account may have ended, to end the streams that they opened. */
  readonly onSignedOut: (accountId: string) => void;
}

/** Registers the operation that deletes the account of the caller. */
export function registerDeletionRoute(server: Server, deps: DeletionRouteDeps): void {
  const schema = {
    operationId: "deleteMe",
    errorStatuses: [409, 429],
    tags: ["Account"],
    summary:
      "Delete my account with devices, keys, feed and sessions; refused to the only owner of a team",
    description: "Asks for the password, unless the session was opened in the last ten minutes.",
    body: Type.Object({ password: Type.Optional(Type.String()) }),
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/me/delete", { schema }, async (request, reply) => {
    const { accountId, email, session, actor } = await deps.authenticate(request);
    const { password = null } = request.body;
    await requirePasswordOrRecentSignIn(deps, { accountId, session, password });
    await deleteAccount(deps, { accountId, email, actor });
    deps.onSignedOut(accountId);
    const { auth } = deps;
    return reply
      .header("set-cookie", [
        auth.formatDeletionCookie(),
        auth.knownBrowsers.formatDeletionCookie(accountId),
      ])
      .code(204)
      .send(null);
  });
}
