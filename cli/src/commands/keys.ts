import type { ApiKey } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { KEYS } from "../descriptions/account-holders.ts";
import { localTimeOrDash } from "../local-time.ts";
import { itemsOf } from "../pages.ts";
import { signedInClient } from "../signed-in.ts";
import { printTable, type Row } from "../table.ts";
import { plain } from "../terminal.ts";

/** `tocsin keys`. */
export const keys: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: KEYS.options });
  const { client } = await signedInClient(values, terminal);
  const items = await Array.fromAsync(itemsOf((query) => client.keys.list(query)));
  if (values.json === true) {
    terminal.printJson({ items });
    return EXIT.ok;
  }
  if (items.length === 0) {
    terminal.print("There is no API key. Make one with tocsin key create.");
    return EXIT.ok;
  }
  const teams = await Array.fromAsync(itemsOf((query) => client.teams.list(query)));
  const teamNames = new Map(teams.map(({ id, name }) => [id, name]));
  const headings = ["LABEL", "KEY", "SENDS TO", "LAST USED", "EXPIRES", "ID"];
  printTable(terminal, { headings, rows: items.map((key) => toRow(key, teamNames)) });
  return EXIT.ok;
};

function toRow(key: ApiKey, teamNames: ReadonlyMap<string, string>): Row {
  const { id, label, hint, teamId, lastUsedAt, expiresAt, postOnly } = key;
  const team = teamId === null ? "your account" : `team ${plain(teamNames.get(teamId) ?? teamId)}`;
  return [
    label === null ? { text: "–", style: "dim" } : { text: plain(label), style: "bold" },
    { text: `…${plain(hint)}` },
    { text: postOnly ? `${team}, by POST only` : team },
    { text: localTimeOrDash(lastUsedAt) },
    { text: localTimeOrDash(expiresAt) },
    { text: plain(id), style: "dim" },
  ];
}
