import { Type } from "typebox";

const PublicKey = Type.Literal("public-key");
/** An answer of an authenticator is a few hundred bytes; a key of RSA brings it to a few thousand. */
const Bytes = Type.String({ description: "base64url", maxLength: 8_192 });
const Descriptor = Type.Object({ type: PublicKey, id: Bytes });

/** `PublicKeyCredentialCreationOptionsJSON` (Web Authentication Level 3, section 5.1.9). */
export const RegistrationOptions = Type.Object({
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Bytes, name: Type.String(), displayName: Type.String() }),
  challenge: Bytes,
  pubKeyCredParams: Type.Array(Type.Object({ type: PublicKey, alg: Type.Integer() })),
  timeout: Type.Integer(),
  excludeCredentials: Type.Array(Descriptor),
  authenticatorSelection: Type.Object({
    residentKey: Type.String(),
    userVerification: Type.String(),
  }),
  attestation: Type.String(),
});

/** `PublicKeyCredentialRequestOptionsJSON` (Web Authentication Level 3, section 5.1.10). */
export const SignInOptions = Type.Object({
  challenge: Bytes,
  rpId: Type.String(),
  timeout: Type.Integer(),
  allowCredentials: Type.Array(Descriptor),
  userVerification: Type.String(),
});

/** The members of `RegistrationResponseJSON` that are read. */
export const RegistrationBody = Type.Object({
  id: Bytes,
  response: Type.Object({ clientDataJSON: Bytes, authenticatorData: Bytes, publicKey: Bytes }),
});

/** The members of `AuthenticationResponseJSON` that are read. */
export const AssertionBody = Type.Object({
  id: Bytes,
  response: Type.Object({
    clientDataJSON: Bytes,
    authenticatorData: Bytes,
    signature: Bytes,
    userHandle: Type.Optional(Type.Union([Bytes, Type.Null()])),
  }),
});
