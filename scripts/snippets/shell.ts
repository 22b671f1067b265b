/** Programs of every machine with a shell: that they are there needs no check, and they change nothing of ours. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(
  `alias awk basename cat cd chmod chown cp curl cut date df dirname du echo eval export false find grep head hostname id jq
  install ln ls mkdir mktemp mv printf pwd read rm sed set sleep sort source tail tar tee test touch tr true umask uname
  uniq uptime wc whoami xargs`.split(/\s+/u),
);

const OURS: ReadonlySet<string> = new Set(["npm", "npx", "tocsin"]);

const BEFORE_A_COMMAND =
  /^(?:\$ |[A-Za-z_]\w*=\S*\s*|(?:if|then|else|elif|do|while|until|!|\{|\}|sudo|exec|time|env)\s+)/u;
const NO_COMMAND = /^(?:fi|done|esac|then|else|do|\}|\{|for\b.*|case\b.*|\[.*)?$/u;

/** Returns the programs that a block of shell calls and that nobody can know to be there. */
export function foreignPrograms(script: string): readonly string[] {
  const programs = commandsOf(script).map((command) => programOf(command));
  const foreign = programs.filter(
    (name) => name !== "" && !OURS.has(name) && !OF_THE_SYSTEM.has(name),
  );
  return [...new Set(foreign)];
}

/** Says whether a block asks a server of ours by curl, so that it can be run. */
export function callsServer(script: string): boolean {
  return /\bcurl\b[^]*\/(?:api\/|healthz|readyz|metrics|openapi\.json)/u.test(script);
}

/** Without texts in quotes and here-documents, which may hold anything. */
function commandsOf(script: string): readonly string[] {
  const bare = script
    .replaceAll(/<<-?\s*["']?(\w+)["']?([^\n]*)\n[^]*?\n\s*\1(?=\n|$)/gu, "$2")
    .replaceAll(/\\\n/gu, " ")
    .replaceAll(/(?<!\\)"(?:\\.|[^"\\])*"|'[^']*'/gu, "TEXT")
    .replaceAll(/(^|\s)#[^\n]*/gu, "$1")
    .replaceAll(/\d*[<>]+&?\s*\S+/gu, " ");
  return bare.split(/\n|&&|\|\|?|;;?|&|\$\(|[()`]/u).map((command) => command.trim());
}

function programOf(command: string): string {
  let rest = command;
  while (BEFORE_A_COMMAND.test(rest)) rest = rest.replace(BEFORE_A_COMMAND, "").trim();
  if (NO_COMMAND.test(rest)) return "";
  const [first = ""] = rest.split(/\s/u);
  return first.slice(first.lastIndexOf("/") + 1);
}
