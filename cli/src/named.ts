import type { ApiKey, Client, Device, Team } from "@tocsin/sdk";
import { suggestion, usageError } from "./command.ts";
import { itemsOf } from "./pages.ts";

/** An id of the server: a UUID of version 7 (RFC 9562 section 5.7). An API key is of version 4, and so not an id. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Returns whether text has the form of an id. Other text may be an API key, and must not appear in a request path. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** Finds the id of one of the account's devices by its id or name. */
export async function findDeviceId(client: Client, text: string): Promise<string> {
  if (isId(text)) return text;
  const devices = await Array.fromAsync(itemsOf((query) => client.devices.list(query)));
  return findIdByName(devices, {
    text,
    namesOf: listNames,
    noun: "device",
    list: "tocsin devices shows those there are; name a removed one by its id",
  });
}

/**
 * Finds the id of one of the account's API keys by its id, label or last four characters. Returns `none` unchanged: it
 * stands for notifications sent without a key.
 */
export async function findKeyId(client: Client, text: string): Promise<string> {
  if (isId(text) || text === "none") return text;
  const keys = await Array.fromAsync(itemsOf((query) => client.keys.list(query)));
  return findIdByName(keys, {
    text,
    namesOf: listKeyNames,
    noun: "API key",
    list: "tocsin keys shows all",
  });
}

/** Finds the id of one of the account's teams by its id or name. */
export async function findTeamId(client: Client, text: string): Promise<string> {
  if (isId(text)) return text;
  const teams = await Array.fromAsync(itemsOf((query) => client.teams.list(query)));
  return findIdByName(teams, {
    text,
    namesOf: listNames,
    noun: "team",
    list: "the console shows all",
  });
}

function listNames({ name }: Device | Team): readonly string[] {
  return [name];
}

function listKeyNames({ label, hint }: ApiKey): readonly string[] {
  return label === null ? [hint] : [label, hint];
}

interface Lookup<T> {
  readonly text: string;
  readonly namesOf: (item: T) => readonly string[];
  readonly noun: string;
  /** A clause that says how to list the candidates. */
  readonly list: string;
}

function findIdByName<T extends { readonly id: string }>(
  items: readonly T[],
  { text, namesOf, noun, list }: Lookup<T>,
): string {
  const lowerName = text.toLowerCase();
  const matches = items.filter((item) =>
    namesOf(item).some((name) => name.toLowerCase() === lowerName),
  );
  const [only, another] = matches;
  if (only !== undefined && another === undefined) return only.id;
  if (another !== undefined) {
    const ids = matches.map(({ id }) => id).join(", ");
    throw usageError(`Several are named so: give the id of the ${noun}, one of ${ids}.`);
  }
  const near = suggestion(text, items.flatMap(namesOf));
  throw usageError(`You have no ${noun} of that id or name; ${list}.${near}`);
}
