import { posix } from "node:path";
import type { KnownNames } from "./known-names.ts";

/** The end of a metric's name: its unit or quantity. Other names may begin with `tocsin_` as well. */
const METRIC_SUFFIX = /_(?:total|seconds|bytes|jobs|due|held|bucket|sum|count|ratio|info)$/u;

/** The suffixes that a histogram adds to its name. */
const HISTOGRAM_SUFFIX = /_(?:bucket|sum|count)$/u;

/** Returns the problems with names of settings and metrics in prose or code. */
export function findSettingProblems(
  text: string,
  { variables, metrics }: KnownNames,
): readonly string[] {
  const settingNames = text.match(/\bTOCSIN_[A-Z0-9_]*[A-Z0-9]\b(?![_*…])/gu) ?? [];
  const metricNames = text.match(/\btocsin_[a-z_]+[a-z]\b(?![_*…])/gu) ?? [];
  return [
    ...settingNames
      .filter((name) => !variables.has(name) && !variables.has(name.replace(/_FILE$/u, "")))
      .map((name) => `nothing reads ${name}; docs/configuration.md has all settings`),
    ...metricNames
      .filter((name) => METRIC_SUFFIX.test(name))
      .filter((name) => !metrics.has(name) && !metrics.has(name.replace(HISTOGRAM_SUFFIX, "")))
      .map(
        (name) =>
          `nothing measures ${name}; METRIC_FILES of known-names.ts lists the files with metrics`,
      ),
  ];
}

/** Returns the problems with Tocsin's commands and API paths in one line of code or in inline code. */
export function findNameProblems(code: string, knownNames: KnownNames): readonly string[] {
  return [
    ...findScriptProblems(code, knownNames),
    ...findCommandProblems(code, knownNames),
    ...findPathProblems(code, knownNames),
  ];
}

/** Documents name the server's rooms without this prefix. */
const SERVER_FOLDER = "server/src/";

/** Returns the problems with a repository path in inline code; `file` is the document. */
export function findFileProblems(
  code: string,
  file: string,
  { files }: KnownNames,
): readonly string[] {
  const path = code.replace(/^\.\//u, "").replace(/:\d+$/u, "");
  if (!/^[\w.-]+(?:\/[\w.-]+)*\/?$/u.test(path) || !isRepositoryPath(path, files)) return [];
  const candidates = [path, posix.join(posix.dirname(file), path), `${SERVER_FOLDER}${path}`];
  const exists = candidates.some((candidate) =>
    files.some(
      (existing) =>
        existing === candidate ||
        existing.startsWith(candidate.endsWith("/") ? candidate : `${candidate}/`),
    ),
  );
  return exists ? [] : [`no file is at ${path}`];
}

/** Returns whether a path is below a folder of the repository, and neither a pattern nor a build result. */
function isRepositoryPath(path: string, files: readonly string[]): boolean {
  const [folder = "", ...inner] = path.split("/");
  if (inner.length === 0 || /[A-Z]{4}|NNNN|\bdist\b/u.test(inner.join("/"))) return false;
  return ["", SERVER_FOLDER].some((parent) =>
    files.some((existing) => existing.startsWith(`${parent}${folder}/`)),
  );
}

function findScriptProblems(code: string, { scripts }: KnownNames): readonly string[] {
  const run = code.matchAll(/\bnpm (?:run(?:-script)?(?: -[\w-]+)* ([\w:-]+)|(start|test)\b)/gu);
  return [...run]
    .map(([, named, short]) => named ?? short ?? "")
    .filter((name) => !scripts.has(name))
    .map((name) => `package.json has no script "${name}"`);
}

/** Matches a call of `tocsin`: at the start of a command, or after the name of an image or a user. */
const TOCSIN_CALL = /(?<![\w/@:.=-])tocsin((?: -- | )(?=[a-z])[^|;&\n]*)/gu;

function findCommandProblems(code: string, { commands, getHelp }: KnownNames): readonly string[] {
  return [...code.matchAll(TOCSIN_CALL)].flatMap(([call, args = ""]) => {
    const words = args.replace(/^ -- /u, " ").trim();
    const command = commands.find((name) => words === name || words.startsWith(`${name} `));
    if (command === undefined) {
      const isFirst = /(?:^|[|;&]|\bnpx|\bnpm run(?: -\S+)*)\s*$/u.test(
        code.slice(0, code.indexOf(call)),
      );
      return isFirst ? [`tocsin has no command "${words}"; tocsin --help lists all`] : [];
    }
    const options = words.match(/(?<=\s)--[a-z][a-z-]*/gu) ?? [];
    const help = getHelp(command);
    return options
      .filter((option) => option !== "--help" && !new RegExp(`${option}(?![a-z-])`, "u").test(help))
      .map((option) => `tocsin ${command} has no option ${option}`);
  });
}

const API_CALL =
  /(?:\b(GET|POST|PUT|PATCH|DELETE|HEAD) +)?(?:https?:\/\/[\w.:-]+)?(\/api\/[^\s"'`?#()|,;\\]*)/gu;

function findPathProblems(code: string, { operations }: KnownNames): readonly string[] {
  return [...code.matchAll(API_CALL)].flatMap(([, method, address = ""]) => {
    const path = address.replace(/[.…:/]+$/u, "");
    // A base path, such as /api/v1, or the start of several paths.
    const isPathPrefix = [...operations.keys()].some((existing) => existing.startsWith(`${path}/`));
    if (isPathPrefix && !address.endsWith("/") && method === undefined) return [];
    const methods = [...operations]
      .filter(([existing]) => matchesPath(path, existing))
      .map(([, allowedMethods]) => allowedMethods);
    if (methods.length === 0)
      return isPathPrefix ? [] : [`the API has no address ${path}; server/openapi.json has all`];
    const isAllowed =
      method === undefined || methods.some((allowedMethods) => allowedMethods.has(method));
    return isAllowed || method === "HEAD" ? [] : [`${path} takes no ${method}`];
  });
}

/** Returns whether a path matches a documented one, in which `{apiKey}` stands for any segment. */
function matchesPath(path: string, documented: string): boolean {
  const parts = documented.split("/");
  const segments = path.split("/");
  return (
    parts.length === segments.length &&
    parts.every((part, index) => part.startsWith("{") || part === segments[index])
  );
}
