import { posix } from "node:path";
import type { KnownNames } from "./known.ts";

/** Other names may begin with `tocsin_` as well; a metric ends with its unit or quantity. */
const METRIC = /_(?:total|seconds|bytes|jobs|due|held|bucket|sum|count|ratio|info)$/u;

/** The suffixes that a histogram adds to its name. */
const SERIES = /_(?:bucket|sum|count)$/u;

/** Returns the problems with names of settings and metrics in prose or code. */
export function settingProblems(
  text: string,
  { variables, metrics }: KnownNames,
): readonly string[] {
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

/** Returns the problems with Tocsin's commands and API paths in one line of code or in inline code. */
export function nameProblems(code: string, known: KnownNames): readonly string[] {
  return [
    ...scriptProblems(code, known),
    ...commandProblems(code, known),
    ...pathProblems(code, known),
  ];
}

/** Documents name the server's rooms without this prefix. */
const SERVER = "server/src/";

/** Returns the problems with a repository path in inline code; `file` is the document. */
export function fileProblems(code: string, file: string, { files }: KnownNames): readonly string[] {
  const path = code.replace(/^\.\//u, "").replace(/:\d+$/u, "");
  if (!/^[\w.-]+(?:\/[\w.-]+)*\/?$/u.test(path) || !isOfRepository(path, files)) return [];
  const candidates = [path, posix.join(posix.dirname(file), path), `${SERVER}${path}`];
  const exists = candidates.some((candidate) =>
    files.some(
      (existing) =>
        existing === candidate ||
        existing.startsWith(candidate.endsWith("/") ? candidate : `${candidate}/`),
    ),
  );
  return exists ? [] : [`no file is at ${path}`];
}

/** Returns true for a path below a folder of the repository that is neither a pattern nor a build result. */
function isOfRepository(path: string, files: readonly string[]): boolean {
  const [first = "", ...rest] = path.split("/");
  if (rest.length === 0 || /[A-Z]{4}|NNNN|\bdist\b/u.test(rest.join("/"))) return false;
  return ["", SERVER].some((folder) =>
    files.some((existing) => existing.startsWith(`${folder}${first}/`)),
  );
}

function scriptProblems(code: string, { scripts }: KnownNames): readonly string[] {
  const run = code.matchAll(/\bnpm (?:run(?:-script)?(?: -[\w-]+)* ([\w:-]+)|(start|test)\b)/gu);
  return [...run]
    .map(([, named, short]) => named ?? short ?? "")
    .filter((name) => !scripts.has(name))
    .map((name) => `package.json has no script "${name}"`);
}

/** A call of `tocsin`: at the start of a command, or after the name of an image or a user. */
const CALL = /(?<![\w/@:.=-])tocsin((?: -- | )(?=[a-z])[^|;&\n]*)/gu;

function commandProblems(code: string, known: KnownNames): readonly string[] {
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

const API_CALL =
  /(?:\b(GET|POST|PUT|PATCH|DELETE|HEAD) +)?(?:https?:\/\/[\w.:-]+)?(\/api\/[^\s"'`?#()|,;\\]*)/gu;

function pathProblems(code: string, { operations }: KnownNames): readonly string[] {
  return [...code.matchAll(API_CALL)].flatMap(([, method, found = ""]) => {
    const path = found.replace(/[.…:/]+$/u, "");
    if (
      [...operations.keys()].some((existing) => existing.startsWith(`${path}/`)) &&
      !found.endsWith("/")
    ) {
      // A base path, such as /api/v1, or the start of several paths.
      if (method === undefined) return [];
    }
    const methods = [...operations]
      .filter(([existing]) => matchesPath(path, existing))
      .map(([, all]) => all);
    if (methods.length === 0) {
      const isStart = [...operations.keys()].some((existing) => existing.startsWith(`${path}/`));
      return isStart ? [] : [`the API has no address ${path}; server/openapi.json has all`];
    }
    const isAllowed = method === undefined || methods.some((all) => all.has(method));
    return isAllowed || method === "HEAD" ? [] : [`${path} takes no ${method}`];
  });
}

/** `{apiKey}` of a documented path stands for any segment. */
function matchesPath(path: string, documented: string): boolean {
  const parts = documented.split("/");
  const segments = path.split("/");
  return (
    parts.length === segments.length &&
    parts.every((part, index) => part.startsWith("{") || part === segments[index])
  );
}
