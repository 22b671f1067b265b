import type { ApiKey, Client, Device, Team } from "@tocsin/sdk";
import { formatSuggestion, usageError } from "./command.ts";
import { iterateItems } from "./pages.ts";

/** An id of the server: a UUID of version 7 (RFC 9562 section 5.7). An API key is of version 4, and so not an id. */
const ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Returns whether text has the form of an id. Other text may be an API key, and must not appear in a request path. */
export function isId(text: string): boolean {
  return ID_PATTERN.test(text);
}

/** Finds the id of one of the account's devices by its id or name. Throws a usage error unless one device matches. */
export async function findDeviceId(client: Client, text: string): Promise<string> {
  if (isId(text)) return text;
  const devices = await Array.fromAsync(iterateItems((query) => client.devices.list(query)));
  return findIdByName(devices, {
    text,
    getNames: listNames,
    noun: "device",
    listHint: "tocsin devices shows those there are; name a removed one by its id",
  });
}

/**
 * Finds the id of one of the account's API keys by its id, label or hint. Returns `none` unchanged: it
 * stands for notifications sent without a key. Throws a usage error unless one key matches.
 */
export async function findKeyId(client: Client, text: string): Promise<string> {
  if (isId(text) || text === "none") return text;
  const keys = await Array.fromAsync(iterateItems((query) => client.keys.list(query)));
  return findIdByName(keys, {
    text,
    getNames: listKeyNames,
    noun: "API key",
    listHint: "tocsin keys shows all",
  });
}

/** Finds the id of one of the account's teams by its id or name. Throws a usage error unless one team matches. */
export async function findTeamId(client: Client, text: string): Promise<string> {
  if (isId(text)) return text;
  const teams = await Array.fromAsync(iterateItems((query) => client.teams.list(query)));
  return findIdByName(teams, {
    text,
    getNames: listNames,
    noun: "team",
    listHint: "the console shows all",
  });
}

function listNames({ name }: Device | Team): readonly string[] {
  return [name];
}

function listKeyNames({ label, hint }: ApiKey): readonly string[] {
  return label === null ? [hint] : [label, hint];
}

interface NameLookup<T> {
  readonly text: string;
  readonly getNames: (item: T) => readonly string[];
  readonly noun: string;
  /** A clause that says how to list the candidates. */
  readonly listHint: string;
}

function findIdByName<T extends { readonly id: string }>(
  items: readonly T[],
  { text, getNames, noun, listHint }: NameLookup<T>,
): string {
  const lowerName = text.toLowerCase();
  const matches = items.filter((item) =>
    getNames(item).some((name) => name.toLowerCase() === lowerName),
  );
  const [only, another] = matches;
  if (only !== undefined && another === undefined) return only.id;
  if (another !== undefined) {
    const ids = matches.map(({ id }) => id).join(", ");
    throw usageError(`Several have that name. Give the id of the ${noun}, one of ${ids}.`);
  }
  const suggested = formatSuggestion(text, items.flatMap(getNames));
  throw usageError(`You have no ${noun} of that id or name; ${listHint}.${suggested}`);
}
