import { listAllAccounts } from "@tocsin/server/operator/accounts.ts";
import type { ListedAccount } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { ACCOUNT_LIST } from "../descriptions/operators.ts";
import { localTime, localTimeOrDash } from "../local-time.ts";
import { operate, operatorConfig } from "../operator-command.ts";
import { printTable, type Row } from "../table.ts";
import { plain } from "../terminal.ts";

/** `tocsin account list`. */
export const accountList: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: ACCOUNT_LIST.options });
  const config = operatorConfig();
  const items: ListedAccount[] = [];
  const words = (values.search ?? "").split(/\s+/u).filter((word) => word !== "");
  const search = { words, onAccount: (account: ListedAccount) => void items.push(account) };
  await operate(config, () => listAllAccounts({ config, now: Date.now }, search));
  if (values.json === true) terminal.printJson({ items });
  else if (items.length === 0) terminal.print("There is no such account.");
  else {
    const headings = ["E-MAIL", "NAME", "ROLE", "DEVICES", "LAST SEEN", "CREATED", "ID"];
    printTable(terminal, { headings, rows: items.map(toRow) });
  }
  return EXIT.ok;
};

function toRow(account: ListedAccount): Row {
  const { id, email, name, isAdmin, suspendedAt, deviceCount, lastSeenAt, createdAt } = account;
  const role = isAdmin ? "administrator" : "person";
  return [
    { text: plain(email), style: "bold" },
    { text: plain(name) },
    suspendedAt === null ? { text: role } : { text: `${role}, suspended`, style: "yellow" },
    { text: String(deviceCount) },
    { text: localTimeOrDash(lastSeenAt) },
    { text: localTime(createdAt) },
    { text: plain(id), style: "dim" },
  ];
}
