import type { ApiKey, Client, Device, Team } from "@tocsin/sdk";
import { suggestion, usageError } from "./command.ts";
import { itemsOf } from "./pages.ts";

/** An id of the server: a UUID of version 7 (RFC 9562 section 5.7). An API key is of version 4, and so not an id. */
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Returns whether text has the form of an id. Other text may be a key, and must not get into the path of a request. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** Returns the id of one of my devices by its id or name. */
export async function deviceIdOf(client: Client, text: string): Promise<string> {
  if (isId(text)) return text;
  const devices = await Array.fromAsync(itemsOf((query) => client.devices.list(query)));
  return idIn(devices, {
    text,
    namesOf: namesOfNamed,
    noun: "device",
    list: "tocsin devices shows those there are; name a removed one by its id",
  });
}

/**
 * Returns the id of one of my API keys by its id, label or last four characters; `none` stays, for notifications sent
 * without a key.
 */
export async function keyIdOf(client: Client, text: string): Promise<string> {
  if (isId(text) || text === "none") return text;
  const keys = await Array.fromAsync(itemsOf((query) => client.keys.list(query)));
  return idIn(keys, { text, namesOf: namesOfKey, noun: "API key", list: "tocsin keys shows all" });
}

/** Returns the id of one of my teams by its id or name. */
export async function teamIdOf(client: Client, text: string): Promise<string> {
  if (isId(text)) return text;
  const teams = await Array.fromAsync(itemsOf((query) => client.teams.list(query)));
  return idIn(teams, { text, namesOf: namesOfNamed, noun: "team", list: "the console shows all" });
}

function namesOfNamed({ name }: Device | Team): readonly string[] {
  return [name];
}

function namesOfKey({ label, hint }: ApiKey): readonly string[] {
  return label === null ? [hint] : [label, hint];
}

interface Wanted<T> {
  readonly text: string;
  readonly namesOf: (item: T) => readonly string[];
  readonly noun: string;
  /** A clause that says where to look for it. */
  readonly list: string;
}

function idIn<T extends { readonly id: string }>(
  items: readonly T[],
  { text, namesOf, noun, list }: Wanted<T>,
): string {
  const wanted = text.toLowerCase();
  const found = items.filter((item) => namesOf(item).some((name) => name.toLowerCase() === wanted));
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only.id;
  if (another !== undefined) {
    const ids = found.map(({ id }) => id).join(", ");
    throw usageError(`Several are named so: give the id of the ${noun}, one of ${ids}.`);
  }
  const near = suggestion(text, items.flatMap(namesOf));
  throw usageError(`You have no ${noun} of that id or name; ${list}.${near}`);
}
