import type { Client } from "@tocsin/sdk";
import { readApiKey } from "../environment.ts";
import { createKeyClient, type KeyOptions } from "../key-client.ts";
import { createSignedInClient, isSignedIn } from "../signed-in-client.ts";
import type { Terminal } from "../terminal.ts";

/** A client for incidents, and whether it acts as an API key or as a person. */
export interface IncidentAccess {
  readonly actor: "key" | "person";
  readonly client: Client;
}

/** The options that choose between a person and an API key. */
export interface AccessOptions {
  readonly connection: KeyOptions;
  /** Whether the command works with an API key only. */
  readonly needsKey: boolean;
}

/**
 * Returns a client with the API key if the command needs or names one, or if the environment has one and nobody is
 * signed in; otherwise a client of the signed-in person. Throws a usage error without either.
 */
export async function openIncidentAccess(
  { connection, needsKey }: AccessOptions,
  terminal: Terminal,
): Promise<IncidentAccess> {
  const isKeyRequired = needsKey || connection.key !== undefined;
  if (isKeyRequired || (readApiKey() !== null && !(await isSignedIn())))
    return { actor: "key", client: createKeyClient(connection) };
  const { client } = await createSignedInClient(connection, terminal);
  return { actor: "person", client };
}
