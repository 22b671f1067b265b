import type { ApiKey } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { KEYS } from "../descriptions/account-holders.ts";
import { formatLocalTimeOrDash } from "../local-time.ts";
import { iterateItems } from "../pages.ts";
import { createSignedInClient } from "../signed-in-client.ts";
import { printTable, type Row } from "../table.ts";
import { sanitize } from "../terminal.ts";

/** Lists the API keys of the account and of the teams that it manages: `tocsin keys`. */
export const keysCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: KEYS.options });
  const { client } = await createSignedInClient(values, terminal);
  const items = await Array.fromAsync(iterateItems((query) => client.keys.list(query)));
  if (values.json === true) {
    terminal.printJson({ items });
    return EXIT.ok;
  }
  if (items.length === 0) {
    terminal.print("There is no API key. Create one with tocsin key create.");
    return EXIT.ok;
  }
  const teams = await Array.fromAsync(iterateItems((query) => client.teams.list(query)));
  const teamNames = new Map(teams.map(({ id, name }) => [id, name]));
  const headings = ["LABEL", "KEY", "SENDS TO", "LAST USED", "EXPIRES", "ID"];
  printTable(terminal, { headings, rows: items.map((key) => toRow(key, teamNames)) });
  return EXIT.ok;
};

function toRow(key: ApiKey, teamNames: ReadonlyMap<string, string>): Row {
  const { id, label, hint, teamId, lastUsedAt, expiresAt, postOnly } = key;
  const recipient =
    teamId === null ? "your account" : `team ${sanitize(teamNames.get(teamId) ?? teamId)}`;
  return [
    label === null ? { text: "–", style: "dim" } : { text: sanitize(label), style: "bold" },
    { text: `…${sanitize(hint)}` },
    { text: postOnly ? `${recipient}, by POST only` : recipient },
    { text: formatLocalTimeOrDash(lastUsedAt) },
    { text: formatLocalTimeOrDash(expiresAt) },
    { text: sanitize(id), style: "dim" },
  ];
}
