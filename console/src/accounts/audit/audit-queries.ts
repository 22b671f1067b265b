import { infiniteQueryOptions } from "@tanstack/react-query";
import type { AuditAction } from "@tocsin/sdk";
import { client } from "../../client.ts";

const PAGE_LENGTH = 30;
/** Beside other things, a few are enough. */
const OWN_LENGTH = 10;

/** Asks for what was done on the server, newest first, page by page; null asks for every action. */
export function auditQuery(action: AuditAction | null) {
  return infiniteQueryOptions({
    queryKey: ["admin", "audit", action],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.admin.audit(
        { limit: PAGE_LENGTH, ...(action === null ? {} : { action }), ...cursorOf(pageParam) },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Asks for what the account did and what was done to it, newest first, page by page. */
export const ownAuditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  initialPageParam: "",
  queryFn: ({ pageParam, signal }) =>
    client.profile.audit({ limit: OWN_LENGTH, ...cursorOf(pageParam) }, { signal }),
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

function cursorOf(cursor: string): { readonly cursor?: string } {
  return cursor === "" ? {} : { cursor };
}
