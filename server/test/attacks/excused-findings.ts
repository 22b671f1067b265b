import type { Finding } from "./schema-fuzzer.ts";

/** A rule for findings of the fuzzer that are not violations of the contract. */
export interface Excuse {
  readonly check: string;
  /** Matches the operations, such as `POST /api/v1/notify`. */
  readonly operations: RegExp;
  /** Returns whether the response conforms to the contract. */
  readonly conforms: (finding: Finding) => boolean;
  readonly reason: string;
}

const hasCode =
  (...codes: readonly string[]) =>
  (finding: Finding) =>
    finding.code !== null && codes.includes(finding.code);
/** Matches the errors `invalid_field` about these fields. */
const isAboutField = (fields: RegExp) => (finding: Finding) =>
  finding.code === "invalid_field" && fields.test(finding.field ?? "");

/** Names and labels contain at least one visible character. */
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Returns whether the name that the fuzzer reports as invalid has a visible character after all. */
function hasVisibleName({ message, body }: Finding): boolean {
  const [, name] = /violates `pattern` at \/properties\/(name|label)/.exec(message) ?? [];
  if (name === undefined) return false;
  const value: unknown = JSON.parse(body)[name];
  return typeof value === "string" && VISIBLE_CHARACTER.test(value);
}

const POSITIVE_CHECK = "positive_data_acceptance";
const SEND_OPERATIONS = /^(POST|GET) \/api\/(v1\/notify|app\/v1\/notifications)/;
const ANY_OPERATION = /./;

/** All accepted deviations from the fuzzer's expectations. */
export const EXCUSES: readonly Excuse[] = [
  {
    check: POSITIVE_CHECK,
    operations: ANY_OPERATION,
    conforms: isAboutField(/^(password|currentPassword|code|credential|token)$/),
    reason: "no schema can express whether a password, code or passkey is correct",
  },
  {
    check: POSITIVE_CHECK,
    operations: /^GET /,
    conforms: isAboutField(/^cursor$/),
    reason: "only a cursor from an earlier page is valid",
  },
  {
    check: POSITIVE_CHECK,
    operations: ANY_OPERATION,
    conforms: hasCode("expired", "unknown_team"),
    reason: "a token or team key that was never issued is refused",
  },
  {
    check: POSITIVE_CHECK,
    operations: /^POST \/api\/auth\/sign-in\/oidc/,
    conforms: hasCode("invalid_request"),
    reason: "this server has no identity provider",
  },
  {
    check: POSITIVE_CHECK,
    operations: /\/api\/app\/v1\/groups/,
    conforms: isAboutField(/^deviceIds/),
    reason: "a group contains only the account's devices",
  },
  {
    check: POSITIVE_CHECK,
    operations: /^POST \/api\/app\/v1\/devices$/,
    conforms: isAboutField(/^(push\.|name$)/),
    reason: "only allowed push services are accepted; a new device needs a name",
  },
  {
    check: POSITIVE_CHECK,
    operations: /^POST \/api\/app\/v1\/keys$/,
    conforms: isAboutField(/^(expiresAt|dialect)$/),
    reason: "a key expires in the future, and is for an API that the server speaks",
  },
  {
    check: POSITIVE_CHECK,
    operations: /^PATCH \/api\/app\/v1\/keys\/\{/,
    conforms: isAboutField(/^escalationPolicyId$/),
    reason: "a key uses only a policy of its owner",
  },
  {
    check: POSITIVE_CHECK,
    operations: /^POST \/api\/app\/v1\/prompts\/\{id\}\/answer$/,
    conforms: isAboutField(/^(choice|text)$/),
    reason: "an answer is one of the prompt's choices, or a text if the prompt allows one",
  },
  {
    check: POSITIVE_CHECK,
    operations: SEND_OPERATIONS,
    conforms: hasCode("idempotency_mismatch"),
    reason: "an idempotency key is bound to the content of its first request",
  },
  {
    check: POSITIVE_CHECK,
    operations: SEND_OPERATIONS,
    conforms: isAboutField(/^(link|image)$/),
    reason: "links with some schemes are refused, and URLs are parsed as in browsers",
  },
  {
    check: POSITIVE_CHECK,
    operations: SEND_OPERATIONS,
    conforms: isAboutField(
      /^(incidentKey|incidentEvent|repeatEvery|expireAfter|autoResolveAfter|escalation|callback|choices|answersNeeded)$/,
    ),
    reason:
      "fields of incidents and prompts depend on each other, name existing policies, and are strict",
  },
  {
    check: POSITIVE_CHECK,
    operations: /^POST \/api\/v1\/incidents\//,
    conforms: isAboutField(/^incidentKey$/),
    reason: "an incident is named by its key or by its id, and a key may be empty after trimming",
  },
  {
    check: POSITIVE_CHECK,
    operations: /\/api\/app\/v1\/escalation-policies/,
    conforms: isAboutField(/^steps/),
    reason: "the steps of a policy depend on its team, its members and their devices",
  },
  {
    check: POSITIVE_CHECK,
    operations: /^(GET|POST) \/api\/v1\/notify\/(group\/)?\{/,
    conforms: (finding) =>
      finding.code === "invalid_request" && finding.errorMessage?.includes("32 KiB") === true,
    reason: "a text of 32,768 characters fits into a body, but not into every URL",
  },
  {
    check: POSITIVE_CHECK,
    operations: SEND_OPERATIONS,
    conforms: ({ errorMessage }) =>
      errorMessage?.startsWith("title and body are both empty") === true,
    reason:
      "a text may be empty after sanitising, and a query schema describes each field separately",
  },
  {
    check: "negative_data_rejection",
    operations: ANY_OPERATION,
    conforms: hasVisibleName,
    reason:
      "a name may contain any Unicode letter; the fuzzer does not know all of them (the micro sign, and code points above 65,535)",
  },
  {
    check: "negative_data_rejection",
    operations: /^(POST|GET) \/api\/(v1\/notify|app\/v1\/notifications$)/,
    conforms: ({ status }) => status >= 200 && status < 300,
    reason:
      'alerts must get through: `""` and `null` in an optional field mean "absent", unknown fields are ignored, texts are sanitised',
  },
];

/** Returns the excuse for a finding; null if there is none. */
export function findExcuse(finding: Finding): Excuse | null {
  const { check, operation } = finding;
  const match = EXCUSES.find(
    (excuse) =>
      excuse.check === check && excuse.operations.test(operation) && excuse.conforms(finding),
  );
  return match ?? null;
}
