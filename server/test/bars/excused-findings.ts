import type { Finding } from "./schema-fuzzer.ts";

/** Findings of the fuzzer that the contract does not promise. */
export interface Excuse {
  readonly check: string;
  /** Of the operations that it is about. */
  readonly operations: RegExp;
  /** True for the answers that are as the contract has them. */
  readonly isMeant: (finding: Finding) => boolean;
  readonly reason: string;
}

const code =
  (...codes: readonly string[]) =>
  (finding: Finding) =>
    finding.code !== null && codes.includes(finding.code);
/** A field of which no schema can say which values count. */
const field = (fields: RegExp) => (finding: Finding) =>
  finding.code === "invalid_field" && fields.test(finding.field ?? "");

/** Names and labels hold at least one of these. */
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Says whether a name does what its pattern asks for, of which the fuzzer says that it does not. */
function isSeen({ message, body }: Finding): boolean {
  const [, name] = /violates `pattern` at \/properties\/(name|label)/.exec(message) ?? [];
  if (name === undefined) return false;
  const value: unknown = JSON.parse(body)[name];
  return typeof value === "string" && SEEN.test(value);
}

const POSITIVE = "positive_data_acceptance";
const SENDING = /^(POST|GET) \/api\/(v1\/notify|app\/v1\/notifications)/;
const ANY = /./;

/** Every exception to what the fuzzer expects, each with its reason. */
export const EXCUSES: readonly Excuse[] = [
  {
    check: POSITIVE,
    operations: ANY,
    isMeant: field(/^(password|currentPassword|code|credential|token)$/),
    reason: "a password, a code or a passkey is right or wrong, which no schema tells",
  },
  {
    check: POSITIVE,
    operations: /^GET /,
    isMeant: field(/^cursor$/),
    reason: "a cursor is what a page before answered",
  },
  {
    check: POSITIVE,
    operations: ANY,
    isMeant: code("expired", "unknown_team"),
    reason: "a token or team key that nobody was given opens nothing",
  },
  {
    check: POSITIVE,
    operations: /^POST \/api\/auth\/sign-in\/oidc/,
    isMeant: code("invalid_request"),
    reason: "this server has no identity provider",
  },
  {
    check: POSITIVE,
    operations: /\/api\/app\/v1\/groups/,
    isMeant: field(/^deviceIds/),
    reason: "a group holds devices of one's own",
  },
  {
    check: POSITIVE,
    operations: /^POST \/api\/app\/v1\/devices$/,
    isMeant: field(/^(push\.|name$)/),
    reason: "push services are those that the server allows; a device that is new needs a name",
  },
  {
    check: POSITIVE,
    operations: /^POST \/api\/app\/v1\/keys$/,
    isMeant: field(/^expiresAt$/),
    reason: "a key expires in the future",
  },
  {
    check: POSITIVE,
    operations: SENDING,
    isMeant: code("idempotency_mismatch"),
    reason: "an idempotency key belongs to one content",
  },
  {
    check: POSITIVE,
    operations: SENDING,
    isMeant: field(/^(link|image)$/),
    reason: "links of some schemes are refused, and URLs are read as browsers read them",
  },
  {
    check: POSITIVE,
    operations: /^(GET|POST) \/api\/v1\/notify\/(group\/)?\{/,
    isMeant: (finding) =>
      finding.code === "invalid_request" && finding.said?.includes("32 KiB") === true,
    reason: "a text of 32,768 characters fits into a body, not into every address",
  },
  {
    check: POSITIVE,
    operations: SENDING,
    isMeant: ({ said }) => said?.startsWith("title and body are both empty") === true,
    reason:
      "of what is taken out of a text nothing is left, and a query says of each field alone what it may be",
  },
  {
    check: "negative_data_rejection",
    operations: ANY,
    isMeant: isSeen,
    reason:
      "a name may have letters of all of Unicode; the fuzzer knows not all of them (the micro sign, and those beyond the first 65,536)",
  },
  {
    check: "negative_data_rejection",
    operations: /^(POST|GET) \/api\/(v1\/notify|app\/v1\/notifications$)/,
    isMeant: ({ status }) => status >= 200 && status < 300,
    reason:
      'an alert arrives: `""` and `null` in an optional field mean "not given", unknown fields are ignored, texts are made well-formed',
  },
];

/** Returns the excuse of a finding; null where the contract has none. */
export function excuseOf(finding: Finding): Excuse | null {
  const { check, operation } = finding;
  const found = EXCUSES.find(
    (excuse) =>
      excuse.check === check && excuse.operations.test(operation) && excuse.isMeant(finding),
  );
  return found ?? null;
}
