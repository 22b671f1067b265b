import type { Incident, IncidentsQuery } from "@tocsin/sdk";
import { EXIT, formatSuggestion, parseOptions, usageError, type Command } from "../command.ts";
import { INCIDENT_LIST, LISTED_STATES } from "../descriptions/incidents.ts";
import { formatState, STATE_STYLES } from "../incident/format.ts";
import { parseLimit } from "../limit-option.ts";
import { formatLocalTime } from "../local-time.ts";
import { readFirstItems } from "../pages.ts";
import { createSignedInClient } from "../signed-in-client.ts";
import { printTable, type Row } from "../table.ts";
import { sanitize } from "../terminal.ts";

const LIMIT_DEFAULT = 20;

/** Lists the incidents that the person was told about: `tocsin incident list`. */
export const incidentListCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: INCIDENT_LIST.options });
  const state = parseState(values.state);
  const limit = parseLimit(values.limit, LIMIT_DEFAULT);
  const { client } = await createSignedInClient(values, terminal);
  const filter: IncidentsQuery = state === "all" ? {} : { state };
  const { items, isComplete } = await readFirstItems(
    (page) => client.incidents.list({ ...filter, ...page }),
    limit,
  );
  if (values.json === true) {
    terminal.printJson({ items, isComplete });
    return EXIT.ok;
  }
  if (items.length === 0) terminal.print(`There is no incident${formatFilter(state)}.`);
  else {
    const headings = ["OPENED", "STATE", "PRIORITY", "TIMES", "ID", "TITLE"];
    printTable(terminal, { headings, rows: items.map(toRow), isLastTruncated: true });
  }
  if (!isComplete) terminal.printNote("There are more. --limit shows more of them.");
  return EXIT.ok;
};

type ListedState = (typeof LISTED_STATES)[number];

function parseState(text: string | undefined): ListedState {
  if (text === undefined) return LISTED_STATES[0];
  const state = LISTED_STATES.find((candidate) => candidate === text);
  if (state !== undefined) return state;
  const suggested = formatSuggestion(text, LISTED_STATES);
  throw usageError(`--state must be one of ${LISTED_STATES.join(", ")}.${suggested}`);
}

function formatFilter(state: ListedState): string {
  return state === "all" ? "" : ` that is ${state}`;
}

function toRow(incident: Incident): Row {
  const { id, title, state, priority, openedAt, occurrences } = incident;
  return [
    { text: formatLocalTime(openedAt), style: "dim" },
    { text: formatState(incident), style: STATE_STYLES[state] },
    { text: priority },
    { text: String(occurrences) },
    { text: sanitize(id), style: "dim" },
    { text: sanitize(title), style: "bold" },
  ];
}
