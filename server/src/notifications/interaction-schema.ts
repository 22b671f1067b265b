import { INTERACTION_LIMITS } from "@tocsin/sdk";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";

const {
  incidentKeyLength,
  policyNameLength,
  callbackLength,
  autoResolveAfter,
  repeatEvery,
  expireAfter,
  choices,
  choiceLength,
  answersNeeded,
} = INTERACTION_LIMITS;

const TEXT_PROPERTIES = {
  incidentKey: describeText(
    incidentKeyLength,
    "Names the incident, so that a later send finds it.",
  ),
  incidentEvent: Type.Optional(
    Type.String({
      description: "`trigger` (default), `acknowledge` or `resolve`; needs `incidentKey`.",
    }),
  ),
  escalation: describeText(
    policyNameLength,
    "The id or name of an escalation policy of the key's owner; by default the key's own. Only for emergencies.",
  ),
  callback: describeText(
    callbackLength,
    "An `https:` URL that is called when somebody acted, signed as Standard Webhooks say.",
  ),
};

const ALLOW_TEXT = "Asks a question whose answer may be a text of at most 1,000 characters.";

/** The descriptions of the numbers, with their ranges. */
const NUMBERS = {
  autoResolveAfter: [
    autoResolveAfter,
    "Seconds after the last trigger until the incident resolves itself.",
  ],
  repeatEvery: [repeatEvery, "Seconds between two rounds of an emergency; at most 100 rounds."],
  expireAfter: [expireAfter, "Seconds until an emergency rings no more, or a question ends."],
  answersNeeded: [
    answersNeeded,
    "The number of people who must give the same one of `choices`. A text needs only one.",
  ],
} as const;

type NumberName = keyof typeof NUMBERS;

/** The schemas of the fields of a body that ask somebody to act. `parseInteraction` checks them. */
export const INTERACTION_BODY_PROPERTIES = {
  ...TEXT_PROPERTIES,
  choices: Type.Optional(
    addDocumentedKeywords(
      Type.Array(addDocumentedKeywords(Type.String(), { minLength: 1, maxLength: choiceLength }), {
        description: `Asks a question with these answers: ${choices.min} to ${choices.max} different texts of at most ${choiceLength} characters.`,
      }),
      { minItems: choices.min, maxItems: choices.max, uniqueItems: true },
    ),
  ),
  allowText: Type.Optional(Type.Boolean({ description: ALLOW_TEXT })),
  ...mapNumbers((description, { min, max }) =>
    Type.Optional(
      addDocumentedKeywords(Type.Integer({ description }), { minimum: min, maximum: max }),
    ),
  ),
};

/** The schemas of the same fields in a query: numbers as digits. */
export const INTERACTION_QUERY_PROPERTIES = {
  ...TEXT_PROPERTIES,
  choices: Type.Optional(
    Type.String({ description: "Asks a question with these answers, separated by commas." }),
  ),
  allowText: Type.Optional(Type.String({ description: `${ALLOW_TEXT} \`true\` or \`false\`.` })),
  ...mapNumbers((description) => Type.Optional(Type.String({ description }))),
};

function describeText(maxLength: number, description: string) {
  return Type.Optional(addDocumentedKeywords(Type.String({ description }), { maxLength }));
}

function mapNumbers<Schema>(
  create: (description: string, range: { readonly min: number; readonly max: number }) => Schema,
): Record<NumberName, Schema> {
  const entries = Object.entries(NUMBERS).map(([name, [range, description]]) => {
    const defaultText = "default" in range ? `; default ${range.default}` : "";
    return [name, create(`${description} ${range.min} to ${range.max}${defaultText}.`, range)];
  });
  return Object.fromEntries(entries) as Record<NumberName, Schema>; // It has every name.
}
