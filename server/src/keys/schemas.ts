import { CHANNEL_PATTERN, DIALECTS } from "@tocsin/sdk";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type, type TSchema } from "#schema/json-schema.ts";
import { LABEL_LENGTH_MAX } from "./api-key.ts";

const Timestamp = Type.String({ format: "date-time" });

function Nullable<T extends TSchema>(type: T) {
  return Type.Union([type, Type.Null()]);
}

/** The schema of a label in requests. */
export const Label = Nullable(
  addDocumentedKeywords(Type.String({ description: "At most 80 characters." }), {
    maxLength: LABEL_LENGTH_MAX,
  }),
);

/** The schema of the kind of a key. */
export const KeyKind = Type.Enum(["account", "team"]);

/** The schema of the API that the programs of a key speak. */
export const KeyDialect = Type.Enum([...DIALECTS], {
  description:
    "For programs that speak this API: the key has the form that they accept, and is good on the paths of that API only.",
});

/** The schema of the channel of a key in requests. */
export const KeyChannel = Nullable(
  Type.String({
    pattern: CHANNEL_PATTERN,
    description: "The channel of sends in other services' APIs that name none.",
  }),
);

const KeyFields = {
  id: Type.String(),
  kind: KeyKind,
  teamId: Nullable(Type.String()),
  label: Nullable(Type.String()),
  hint: Type.String({ description: "The last characters of the key." }),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  expiresAt: Nullable(Timestamp),
  replacedBy: Nullable(
    Type.String({
      description: "The key that replaced this one; this one expires when the overlap ends.",
    }),
  ),
  postOnly: Type.Boolean({ description: "GET with this key is refused and sends nothing." }),
  escalationPolicyId: Nullable(
    Type.String({
      description: "The escalation policy of emergencies that name no other.",
    }),
  ),
  hasCallbackSecret: Type.Boolean({
    description: "A secret signs the callbacks of this key, and of those that replace it.",
  }),
  dialect: Nullable(KeyDialect),
  channel: Nullable(Type.String()),
  userKey: Nullable(
    Type.String({
      description:
        "The user key for programs that send to Pushover: all devices that the key reaches. No secret.",
    }),
  ),
};
/** The schema of a key. */
export const KeyResponse = Type.Object(KeyFields);
/** The schema of a new key, in the only response that contains the key itself. */
export const IssuedKeyResponse = Type.Object({
  ...KeyFields,
  key: Type.String({ description: "The key itself, shown only once." }),
});

/** The schema of a key in the export of an account. */
export const ExportedKeySchema = Type.Object({
  id: Type.String(),
  label: Nullable(Type.String()),
  hint: Type.String(),
  postOnly: Type.Boolean(),
  escalationPolicyId: Nullable(Type.String()),
  hasCallbackSecret: Type.Boolean(),
  dialect: Nullable(Type.String()),
  channel: Nullable(Type.String()),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  expiresAt: Nullable(Timestamp),
});
