import { posix } from "node:path";
import type { Known } from "./known.ts";

/** Others may call things of theirs `tocsin_…` as well: a metric ends with what it counts. */
const METRIC = /_(?:total|seconds|bytes|jobs|due|held|bucket|sum|count|ratio|info)$/u;

/** Suffixes that a histogram adds to its name. */
const SERIES = /_(?:bucket|sum|count)$/u;

/** Returns what is wrong with the names of settings and metrics in a text, whether it is code or not. */
export function wrongSettings(text: string, { variables, metrics }: Known): readonly string[] {
  const named = text.match(/\bTOCSIN_[A-Z0-9_]*[A-Z0-9]\b(?![_*…])/gu) ?? [];
  const measured = text.match(/\btocsin_[a-z_]+[a-z]\b(?![_*…])/gu) ?? [];
  return [
    ...named
      .filter((name) => !variables.has(name) && !variables.has(name.replace(/_FILE$/u, "")))
      .map((name) => `nothing reads ${name}; docs/configuration.md has all settings`),
    ...measured
      .filter((name) => METRIC.test(name))
      .filter((name) => !metrics.has(name) && !metrics.has(name.replace(SERIES, "")))
      .map((name) => `nothing measures ${name}; server/src/composition/metrics.ts has all metrics`),
  ];
}

/** Returns what is wrong with the commands and addresses of ours in one line of code, or between backticks. */
export function wrongNames(code: string, known: Known): readonly string[] {
  return [...wrongScripts(code, known), ...wrongCommands(code, known), ...wrongPaths(code, known)];
}

/** Rooms of the server are named without this in front of them. */
const SERVER = "server/src/";

/** Returns what is wrong with a path of the repository between backticks; `file` is the document. */
export function wrongFiles(span: string, file: string, { files }: Known): readonly string[] {
  const path = span.replace(/^\.\//u, "").replace(/:\d+$/u, "");
  if (!/^[\w.-]+(?:\/[\w.-]+)*\/?$/u.test(path) || !isOfRepository(path, files)) return [];
  const places = [path, posix.join(posix.dirname(file), path), `${SERVER}${path}`];
  const isThere = places.some((place) =>
    files.some((one) => one === place || one.startsWith(place.endsWith("/") ? place : `${place}/`)),
  );
  return isThere ? [] : [`no file is at ${path}`];
}

/** A path below a folder of ours that is not only made while something runs, and is no pattern. */
function isOfRepository(path: string, files: readonly string[]): boolean {
  const [first = "", ...rest] = path.split("/");
  if (rest.length === 0 || /[A-Z]{4}|NNNN|\bdist\b/u.test(rest.join("/"))) return false;
  return ["", SERVER].some((folder) => files.some((one) => one.startsWith(`${folder}${first}/`)));
}

function wrongScripts(code: string, { scripts }: Known): readonly string[] {
  const run = code.matchAll(/\bnpm (?:run(?:-script)?(?: -[\w-]+)* ([\w:-]+)|(start|test)\b)/gu);
  return [...run]
    .map(([, named, short]) => named ?? short ?? "")
    .filter((name) => !scripts.has(name))
    .map((name) => `package.json has no script "${name}"`);
}

/** A call of `tocsin`: at the start of a command, or behind the name of an image or a user. */
const CALL = /(?<![\w/@:.=-])tocsin((?: -- | )(?=[a-z])[^|;&\n]*)/gu;

function wrongCommands(code: string, known: Known): readonly string[] {
  return [...code.matchAll(CALL)].flatMap(([call, rest = ""]) => {
    const words = rest.replace(/^ -- /u, " ").trim();
    const command = known.commands.find((name) => words === name || words.startsWith(`${name} `));
    if (command === undefined) {
      const isFirst = /(?:^|[|;&]|\bnpx|\bnpm run(?: -\S+)*)\s*$/u.test(
        code.slice(0, code.indexOf(call)),
      );
      return isFirst ? [`tocsin has no command "${words}"; tocsin --help lists all`] : [];
    }
    const options = words.match(/(?<=\s)--[a-z][a-z-]*/gu) ?? [];
    const help = known.helpOf(command);
    return options
      .filter((option) => option !== "--help" && !new RegExp(`${option}(?![a-z-])`, "u").test(help))
      .map((option) => `tocsin ${command} has no option ${option}`);
  });
}

const ADDRESS =
  /(?:\b(GET|POST|PUT|PATCH|DELETE|HEAD) +)?(?:https?:\/\/[\w.:-]+)?(\/api\/[^\s"'`?#()|,;\\]*)/gu;

function wrongPaths(code: string, { operations }: Known): readonly string[] {
  return [...code.matchAll(ADDRESS)].flatMap(([, method, found = ""]) => {
    const path = found.replace(/[.…:/]+$/u, "");
    if ([...operations.keys()].some((one) => one.startsWith(`${path}/`)) && !found.endsWith("/")) {
      // A base address, such as /api/v1, or the start of several.
      if (method === undefined) return [];
    }
    const methods = [...operations].filter(([one]) => isLike(path, one)).map(([, all]) => all);
    if (methods.length === 0) {
      const isStart = [...operations.keys()].some((one) => one.startsWith(`${path}/`));
      return isStart ? [] : [`the API has no address ${path}; server/openapi.json has all`];
    }
    const isTaken = method === undefined || methods.some((all) => all.has(method));
    return isTaken || method === "HEAD" ? [] : [`${path} takes no ${method}`];
  });
}

/** `{apiKey}` of a documented path stands for any segment. */
function isLike(path: string, documented: string): boolean {
  const parts = documented.split("/");
  const given = path.split("/");
  return (
    parts.length === given.length &&
    parts.every((part, index) => part.startsWith("{") || part === given[index])
  );
}
