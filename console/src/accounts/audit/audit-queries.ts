import { infiniteQueryOptions } from "@tanstack/react-query";
import type { AuditAction } from "@tocsin/sdk";
import { client } from "../../client.ts";

const PAGE_LENGTH = 30;
/** Events per page of the account's own list. It shares its page with other cards, so it is short. */
const OWN_PAGE_LENGTH = 10;

/** Returns the paginated query for the server's audit log, newest first. A null action selects all actions. */
export function auditQuery(action: AuditAction | null) {
  return infiniteQueryOptions({
    queryKey: ["admin", "audit", action],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.admin.audit(
        { limit: PAGE_LENGTH, ...(action === null ? {} : { action }), ...toCursorParam(pageParam) },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** The paginated query for events by or about the account, newest first. */
export const ownAuditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  initialPageParam: "",
  queryFn: ({ pageParam, signal }) =>
    client.profile.audit({ limit: OWN_PAGE_LENGTH, ...toCursorParam(pageParam) }, { signal }),
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

function toCursorParam(cursor: string): { readonly cursor?: string } {
  return cursor === "" ? {} : { cursor };
}
