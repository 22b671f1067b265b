import { infiniteQueryOptions } from "@tanstack/react-query";
import type { AuditAction } from "@tocsin/sdk";
import { client } from "../../client.ts";

const PAGE_SIZE = 30;
/** Number of events per page of the account's own list. The list is short, because other cards share its page. */
const OWN_PAGE_SIZE = 10;

/** Returns the paginated query for the server's audit log, newest first. A null action selects all actions. */
export function createAuditQuery(action: AuditAction | null) {
  return infiniteQueryOptions({
    queryKey: ["admin", "audit", action],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.admin.audit(
        { limit: PAGE_SIZE, ...(action === null ? {} : { action }), ...toCursorParam(pageParam) },
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
    client.profile.audit({ limit: OWN_PAGE_SIZE, ...toCursorParam(pageParam) }, { signal }),
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

function toCursorParam(cursor: string): { readonly cursor?: string } {
  return cursor === "" ? {} : { cursor };
}
