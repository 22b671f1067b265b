import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CONTENT_FIELDS, type ContentField } from "@tocsin/sdk";
import { ROOT } from "./files.ts";

/** The page on the notification API. Its table of fields is generated from the rules of the fields. */
export const API_PAGE = "docs/api.md";

/** Returns the up-to-date page: its own text with the current rules of the fields. */
export async function renderApiPage(): Promise<string> {
  return updateFieldTable(await readFile(join(ROOT, API_PAGE), "utf8"));
}

/** Returns the page with its table of fields replaced; throws if it has no such table. */
export function updateFieldTable(page: string): string {
  if (!TABLE_PATTERN.test(page)) throw new Error(`${API_PAGE} lacks the table of fields.`);
  return page.replace(TABLE_PATTERN, () => `${formatTable([TABLE_HEAD, ...buildRows()])}\n`);
}

const TABLE_HEAD = ["field", "type", "rule"] as const;
/** The cells of one row. */
type Cells = readonly [field: string, type: string, rule: string];

/** Matches the table with the columns `field`, `type` and `rule`. */
const TABLE_PATTERN = /^\| field +\| type +\| rule +\|\n(?:\|.*\n)+/m;

function buildRows(): readonly Cells[] {
  const fields: readonly (readonly [string, ContentField])[] = Object.entries(CONTENT_FIELDS);
  return fields.map(([name, field]) => [
    `\`${name}\``,
    field.kind === "flag" ? "boolean" : "string",
    [...describeRule(field), field.about.replaceAll('""', '`""`')].join("; "),
  ]);
}

function describeRule(field: ContentField): readonly string[] {
  switch (field.kind) {
    case "text":
      return [`required, at most ${formatCount(field.lengthMax)} characters`];
    case "choice":
      return [`one of ${field.values.map((value) => `\`${value}\``).join(", ")}`];
    case "level":
      return [
        `${field.values.map((value) => `\`${value}\``).join(", ")}, in any letter case; \`${field.default}\` when not given; any other value is [ignored](#ignored-values)`,
      ];
    case "name":
      return [
        `1 to ${field.lengthMax} letters, digits and hyphens; \`${field.default}\` when not given`,
      ];
    case "url": {
      const urlRule =
        field.schemes === "web" ? "an `https:` or `http:` address" : "an absolute address";
      return [`${urlRule}, at most ${formatCount(field.lengthMax)} characters`];
    }
    case "flag":
      return [];
  }
}

function formatCount(number: number): string {
  return number.toLocaleString("en");
}

/** Pads the cells as the formatter does. */
function formatTable([head, ...body]: readonly Cells[]): string {
  const allRows = [head ?? TABLE_HEAD, ...body];
  const widths = TABLE_HEAD.map((_, column) =>
    Math.max(...allRows.map((cells) => cells[column]?.length ?? 0)),
  );
  const formatRow = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const separator = formatRow(widths.map((width) => "-".repeat(width)));
  return [formatRow(allRows[0] ?? TABLE_HEAD), separator, ...body.map(formatRow)].join("\n");
}
