import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { INCIDENT_SHOW, WAIT_MAX_SECONDS } from "../descriptions/incidents.ts";
import { openIncidentAccess } from "../incident/access.ts";
import { printIncident, printReceipt } from "../incident/details.ts";
import { parseIncidentId } from "../incident/parse-incident-reference.ts";
import { waitForAct } from "../incident/wait-for-act.ts";
import { parseSeconds } from "../seconds-option.ts";

/** Shows an incident, with `--wait` once somebody has acted: `tocsin incident show`. */
export const incidentShowCommand: Command = async (args, terminal) => {
  const { options } = INCIDENT_SHOW;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const [text, ...more] = positionals;
  if (text === undefined || more.length > 0) throw usageError("Give the ID of one incident.");
  const id = parseIncidentId(text);
  const waitSeconds =
    values.wait === undefined
      ? null
      : parseSeconds("--wait", values.wait, { min: 1, max: WAIT_MAX_SECONDS });
  const access = await openIncidentAccess(
    { connection: values, needsKey: waitSeconds !== null },
    terminal,
  );
  const { client } = access;
  if (access.actor === "person") {
    const incident = await client.incidents.get(id);
    if (values.json === true) terminal.printJson(incident);
    else printIncident(terminal, incident);
    return EXIT.ok;
  }
  const receipt =
    waitSeconds === null
      ? await client.receipts.get(id)
      : await waitForAct(client, { id, waitSeconds });
  if (values.json === true) terminal.printJson(receipt);
  else printReceipt(terminal, receipt);
  const hasSomebodyActed = receipt.state === "acknowledged" || receipt.state === "resolved";
  return waitSeconds === null || hasSomebodyActed ? EXIT.ok : EXIT.failed;
};
