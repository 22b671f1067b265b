import { resolve } from "node:path";
import type { DatabasePlace } from "#database/open.ts";
import { parseUrl } from "#config/environment-reader.ts";

/** Parses `postgres://…` or `sqlite:PATH`; returns null for any other text. */
export function parsePlace(text: string): DatabasePlace | null {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: "sqlite", path: resolve(path) };
  const url = parseUrl(text);
  const isPostgres = url?.protocol === "postgres:" || url?.protocol === "postgresql:";
  if (!isPostgres || url.pathname.length < 2) return null;
  return { kind: "postgres", url: text };
}

/** Formats a database's location for display, without the password. */
export function placeText(place: DatabasePlace): string {
  if (place.kind === "sqlite") return `sqlite:${place.path}`;
  const url = parseUrl(place.url);
  if (url === null) return "postgres:";
  const user = url.username === "" ? "" : `${url.username}@`;
  return `postgres://${user}${url.host}${url.pathname}`;
}
