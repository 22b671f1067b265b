import { resolve } from "node:path";
import type { DatabasePlace } from "#database/open.ts";
import { parseUrl } from "../environment-reader.ts";
import { causesOf } from "../error-causes.ts";

/** Returns the place that `postgres://…` or `sqlite:PATH` names; null for any other text. */
export function parsePlace(text: string): DatabasePlace | null {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: "sqlite", path: resolve(path) };
  const url = parseUrl(text);
  const isPostgres = url?.protocol === "postgres:" || url?.protocol === "postgresql:";
  if (!isPostgres || url.pathname.length < 2) return null;
  return { kind: "postgres", url: text };
}

/** Returns a place as people may read it: without the password. */
export function placeText(place: DatabasePlace): string {
  if (place.kind === "sqlite") return `sqlite:${place.path}`;
  const url = parseUrl(place.url);
  if (url === null) return "postgres:";
  const user = url.username === "" ? "" : `${url.username}@`;
  return `postgres://${user}${url.host}${url.pathname}`;
}

/** Returns why PostgreSQL cannot be used, in one line; null where that is not what an error says. */
export function explainPostgres(error: unknown, place: DatabasePlace): string | null {
  if (place.kind === "sqlite") return null;
  for (const cause of causesOf(error)) {
    const code = "code" in cause ? String(cause.code) : "";
    const reason = REASONS[code];
    if (reason !== undefined) return `${placeText(place)} ${reason} (${code}).`;
  }
  return null;
}

/** Codes of the system, and of appendix A of PostgreSQL's manual. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "does not answer: nothing listens there",
  ENOTFOUND: "does not answer: there is no such host",
  EHOSTUNREACH: "does not answer: it cannot be reached",
  ETIMEDOUT: "does not answer in time",
  "28000": "refuses this user",
  "28P01": "refuses the password of this user",
  "3D000": "does not exist: make the database first",
  "42501": "does not let this user make tables",
  "53300": "has no connection left",
};
