import { INTERACTION_LIMITS } from "@tocsin/sdk";
import type { CommandDescription } from "../description.ts";
import { INTERACTION_OPTIONS } from "./interaction-options.ts";
import { CONTENT_OPTIONS } from "./content-options.ts";
import { ALLOW_HTTP, API_KEY, SERVER_URL_ABOUT } from "./shared.ts";

const { choices, choiceLength, answersNeeded, expireAfter } = INTERACTION_LIMITS;

/** The longest `--wait`, in seconds: the longest life of a question. */
export const ASK_WAIT_MAX_SECONDS = expireAfter.max;
/** The default of `--wait`, in seconds. */
export const ASK_WAIT_DEFAULT_SECONDS = expireAfter.default;

/** Describes `tocsin ask`. */
export const ASK = {
  name: "ask",
  summary: "ask people a question, and wait for the answer",
  usage: "TITLE [BODY] --choices TEXTS | --text [options]",
  about: [
    "Asks every device of the API key's account or team, waits for the answer, and prints it. The first answer counts; with --answers, the choice that this many people give.",
    '  tocsin ask "Deploy 1.4.2?" --choices yes,no --wait 5m && ./deploy.sh',
    "It keeps asking for the answer while the server restarts or the connection is lost. Ctrl-C withdraws the question.",
  ],
  options: {
    choices: {
      type: "string",
      value: "TEXTS",
      about: `the answers, separated by commas: ${choices.min} to ${choices.max} texts of at most ${choiceLength} characters; the first one exits with 0`,
    },
    text: { type: "boolean", about: "the answer may be a text" },
    answers: {
      type: "string",
      value: "NUMBER",
      about: `this many people must give the same choice, ${answersNeeded.min} to ${answersNeeded.max}; default ${answersNeeded.default}`,
    },
    wait: {
      type: "string",
      value: "TIME",
      about:
        "withdraw the question after this time, such as 90s, 5m or 2h, at most 24h; default 1h",
    },
    group: {
      type: "string",
      value: "ID",
      about: "ask only the devices of this group; needs an account key",
    },
    ...CONTENT_OPTIONS,
    "repeat-every": INTERACTION_OPTIONS["repeat-every"],
    escalation: INTERACTION_OPTIONS.escalation,
    callback: INTERACTION_OPTIONS.callback,
    key: API_KEY,
    url: { type: "string", value: "URL", about: SERVER_URL_ABOUT },
    "allow-http": ALLOW_HTTP,
    json: {
      type: "boolean",
      about: 'print the question with its "state", its "answer" and all "answers"',
    },
  },
  notes: [
    "Put -- before a TITLE that begins with a hyphen. With --priority emergency, the question rings until somebody answers.",
  ],
  exits:
    "0 the first choice, or a text; 1 another choice; 2 wrong usage; 3 the server refused; 4 the server did not answer; 5 nobody answered in time",
} as const satisfies CommandDescription;
