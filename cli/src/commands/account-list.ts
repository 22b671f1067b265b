import { listAllAccounts } from "@tocsin/server/operator/accounts.ts";
import type { ListedAccount } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { ACCOUNT_LIST } from "../descriptions/operators.ts";
import { formatLocalTime, formatLocalTimeOrDash } from "../local-time.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";
import { printTable, type Row } from "../table.ts";
import { sanitize } from "../terminal.ts";

/** Lists all accounts: `tocsin account list`. */
export const accountListCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: ACCOUNT_LIST.options });
  const config = readOperatorConfig();
  const items: ListedAccount[] = [];
  const words = (values.search ?? "").split(/\s+/u).filter((word) => word !== "");
  const search = { words, onAccount: (account: ListedAccount) => void items.push(account) };
  await runAsOperator(config, () => listAllAccounts({ config, now: Date.now }, search));
  if (values.json === true) terminal.printJson({ items });
  else if (items.length === 0) terminal.print("There is no such account.");
  else {
    const headings = ["EMAIL", "NAME", "ROLE", "DEVICES", "LAST SEEN", "CREATED", "ID"];
    printTable(terminal, { headings, rows: items.map(toRow) });
  }
  return EXIT.ok;
};

function toRow(account: ListedAccount): Row {
  const { id, email, name, isAdmin, suspendedAt, deviceCount, lastSeenAt, createdAt } = account;
  const role = isAdmin ? "administrator" : "person";
  return [
    { text: sanitize(email), style: "bold" },
    { text: sanitize(name) },
    suspendedAt === null ? { text: role } : { text: `${role}, suspended`, style: "yellow" },
    { text: String(deviceCount) },
    { text: formatLocalTimeOrDash(lastSeenAt) },
    { text: formatLocalTime(createdAt) },
    { text: sanitize(id), style: "dim" },
  ];
}
