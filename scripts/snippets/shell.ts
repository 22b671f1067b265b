/** Programs that every machine with a shell has, so that documents may use them without a check. */
const SYSTEM_PROGRAMS: ReadonlySet<string> = new Set(
  `alias awk basename cat cd chmod chown cp curl cut date df dirname du echo eval export false find grep head hostname id jq
  install ln ls mkdir mktemp mv printf pwd read rm sed set sleep sort source tail tar tee test touch tr true umask uname
  uniq uptime wc whoami xargs`.split(/\s+/u),
);

const OWN_PROGRAMS: ReadonlySet<string> = new Set(["npm", "npx", "tocsin"]);

const COMMAND_PREFIX =
  /^(?:\$ |[A-Za-z_]\w*=\S*\s*|(?:if|then|else|elif|do|while|until|!|\{|\}|sudo|exec|time|env)\s+)/u;
const KEYWORD_ONLY = /^(?:fi|done|esac|then|else|do|\}|\{|for\b.*|case\b.*|\[.*)?$/u;

/** Returns the programs that a shell block calls and that a machine may lack. */
export function findUnknownPrograms(script: string): readonly string[] {
  const programs = splitCommands(script).map((command) => findProgram(command));
  const unknownPrograms = programs.filter(
    (name) => name !== "" && !OWN_PROGRAMS.has(name) && !SYSTEM_PROGRAMS.has(name),
  );
  return [...new Set(unknownPrograms)];
}

/** Returns whether a block calls a Tocsin server with curl, so that the check can run it. */
export function callsServer(script: string): boolean {
  return /\bcurl\b[^]*\/(?:api\/|healthz|readyz|metrics|openapi\.json)/u.test(script);
}

/** Returns the commands of a script, without quoted texts and here-documents, which may contain anything. */
function splitCommands(script: string): readonly string[] {
  const withoutTexts = script
    .replaceAll(/<<-?\s*["']?(\w+)["']?([^\n]*)\n[^]*?\n\s*\1(?=\n|$)/gu, "$2")
    .replaceAll(/\\\n/gu, " ")
    .replaceAll(/(?<!\\)"(?:\\.|[^"\\])*"|'[^']*'/gu, "TEXT")
    .replaceAll(/(^|\s)#[^\n]*/gu, "$1")
    .replaceAll(/\d*[<>]+&?\s*\S+/gu, " ");
  return withoutTexts.split(/\n|&&|\|\|?|;;?|&|\$\(|[()`]/u).map((command) => command.trim());
}

function findProgram(command: string): string {
  let remaining = command;
  while (COMMAND_PREFIX.test(remaining)) remaining = remaining.replace(COMMAND_PREFIX, "").trim();
  if (KEYWORD_ONLY.test(remaining)) return "";
  const [first = ""] = remaining.split(/\s/u);
  return first.slice(first.lastIndexOf("/") + 1);
}
