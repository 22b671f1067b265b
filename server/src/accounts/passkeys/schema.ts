import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { Type } from "#schema/json-schema.ts";

const PublicKey = Type.Literal("public-key");
/** Long enough for a field of an authenticator's response: a few hundred bytes, or a few thousand with an RSA key. */
const Base64Url = Type.String({ description: "base64url", maxLength: 8_192 });
/** Web Authentication Level 3, section 4, Credential ID: at most 1,023 bytes, in base64url. */
const CredentialId = Type.String({ description: "base64url", maxLength: 1_364 });
const Descriptor = Type.Object({ type: PublicKey, id: CredentialId });

/** `PublicKeyCredentialCreationOptionsJSON` (Web Authentication Level 3, section 5.1.8). */
export const RegistrationOptions = Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>(
  Type.Object({
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Base64Url, name: Type.String(), displayName: Type.String() }),
    challenge: Base64Url,
    pubKeyCredParams: Type.Array(Type.Object({ type: PublicKey, alg: Type.Integer() })),
    timeout: Type.Integer(),
    excludeCredentials: Type.Array(Descriptor),
    authenticatorSelection: Type.Object({
      residentKey: Type.String(),
      requireResidentKey: Type.Boolean(),
      userVerification: Type.String(),
    }),
    attestation: Type.String(),
    extensions: Type.Object({ credProps: Type.Boolean() }),
  }),
);

/** `PublicKeyCredentialRequestOptionsJSON` (Web Authentication Level 3, section 5.1.9). */
export const AuthenticationOptions = Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>(
  Type.Object({
    challenge: Base64Url,
    rpId: Type.String(),
    timeout: Type.Integer(),
    allowCredentials: Type.Array(Descriptor),
    userVerification: Type.String(),
  }),
);

const Credential = { id: CredentialId, rawId: CredentialId, type: PublicKey };

/** Browsers add members as Web Authentication evolves. Unknown members are ignored. */
const ALLOW_UNKNOWN_MEMBERS = { additionalProperties: true };

/** The members of `RegistrationResponseJSON` that the server uses. */
export const RegistrationBody = Type.Object(
  {
    ...Credential,
    response: Type.Object(
      {
        clientDataJSON: Base64Url,
        // Some browsers include certificates that were not requested.
        attestationObject: Type.String({ description: "base64url", maxLength: 32_768 }),
      },
      ALLOW_UNKNOWN_MEMBERS,
    ),
  },
  ALLOW_UNKNOWN_MEMBERS,
);

/** The members of `AuthenticationResponseJSON` that the server uses. */
export const AuthenticationBody = Type.Object(
  {
    ...Credential,
    response: Type.Object(
      {
        clientDataJSON: Base64Url,
        authenticatorData: Base64Url,
        signature: Base64Url,
        userHandle: Type.Optional(Type.Union([Base64Url, Type.Null()])),
      },
      ALLOW_UNKNOWN_MEMBERS,
    ),
  },
  ALLOW_UNKNOWN_MEMBERS,
);
