import { resolve } from "node:path";
import type { DatabaseLocation } from "#database/open.ts";
import { parseUrl } from "#config/environment-reader.ts";

/** Parses `postgres://…` or `sqlite:PATH`; returns null for any other text. */
export function parseDatabaseLocation(text: string): DatabaseLocation | null {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: "sqlite", path: resolve(path) };
  const url = parseUrl(text);
  const isPostgres = url?.protocol === "postgres:" || url?.protocol === "postgresql:";
  if (!isPostgres || url.pathname.length < 2) return null;
  return { kind: "postgres", url: text };
}

/** Formats a database's location for display, without the password. */
export function formatDatabaseLocation(location: DatabaseLocation): string {
  if (location.kind === "sqlite") return `sqlite:${location.path}`;
  const url = parseUrl(location.url);
  if (url === null) return "postgres:";
  const user = url.username === "" ? "" : `${url.username}@`;
  return `postgres://${user}${url.host}${url.pathname}`;
}
