import type { Timestamp } from "./page.ts";

/** The result of a sign-in with a password. With a token, the session opens only after a code. */
export interface SignInResult {
  readonly twoFactorToken: string | null;
}

/** The request that completes a sign-in; `code` comes from an authenticator app, or is a backup code. */
export interface SignInCode {
  readonly token: string;
  readonly code: string;
}

/** The request that changes the password of a signed-in account. */
export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** The request that changes an account. */
export interface AccountChange {
  readonly name: string;
}

/**
 * A request that may have to contain the account's password, although the person is signed in. Each operation says when,
 * and rejects with `password_required` if the password is missing. A session that a pairing opened never counts as a
 * recent sign-in.
 */
export interface PasswordConfirmation {
  readonly password?: string;
}

/** The request that changes the email address; it takes effect when the link in an email to the new address is opened. */
export interface EmailChange extends PasswordConfirmation {
  readonly email: string;
}

/** The sign-in settings of an account. */
export interface SignInSettings {
  readonly hasPassword: boolean;
  readonly isEmailVerified: boolean;
  readonly isTwoFactorOn: boolean;
  readonly backupCodesLeft: number;
}

/** The new secrets of two-factor sign-in, which only this response contains; `confirm` turns two-factor sign-in on. */
export interface TwoFactorSecrets {
  /** `otpauth://`, for a QR code. */
  readonly uri: string;
  /** Base32, to type instead. */
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** New backup codes, which only this response contains. */
export interface BackupCodes {
  readonly backupCodes: readonly string[];
}

/** The request that turns two-factor sign-in on; `code` comes from the authenticator app. */
export interface TwoFactorCode {
  readonly code: string;
}

/** A session of the account. */
export interface AccountSession {
  readonly id: string;
  readonly createdAt: Timestamp;
  /** Precise to the day. */
  readonly lastSeenAt: Timestamp;
  /** Browser and system, such as `Firefox on Linux`; null if unknown. */
  readonly userAgent: string | null;
  readonly isCurrent: boolean;
  /** Whether another browser of the account opened this session by a pairing. */
  readonly isPaired: boolean;
}

/** A passkey without its key. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Timestamp;
  readonly lastUsedAt: Timestamp | null;
}

/** The request that renames a passkey. */
export interface PasskeyChange {
  readonly name: string;
}

interface CredentialDescriptor {
  readonly type: "public-key";
  readonly id: string;
}

/**
 * The input of `PublicKeyCredential.parseCreationOptionsFromJSON`, or of `startRegistration` of
 * `@simplewebauthn/browser` as `optionsJSON`; bytes are base64url.
 */
export interface PasskeyOptions {
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  // The library accepts no readonly arrays.
  readonly pubKeyCredParams: { readonly type: "public-key"; readonly alg: number }[];
  readonly timeout: number;
  readonly excludeCredentials: CredentialDescriptor[];
  readonly authenticatorSelection: {
    readonly residentKey: "required";
    readonly requireResidentKey: true;
    readonly userVerification: "required";
  };
  readonly attestation: "none";
  readonly extensions: { readonly credProps: boolean };
}

/** The input of `PublicKeyCredential.parseRequestOptionsFromJSON`, or of `startAuthentication` as `optionsJSON`. */
export interface PasskeySignInOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly timeout: number;
  readonly allowCredentials: CredentialDescriptor[];
  readonly userVerification: "required";
}

interface Credential {
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
}

/** The request that adds a passkey. */
export interface NewPasskey {
  readonly name: string;
  /** As `PublicKeyCredential.toJSON` or `startRegistration` returns it; other fields are ignored. */
  readonly credential: Credential & {
    readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
  };
}

/** The request that signs in with a passkey. */
export interface PasskeySignIn {
  /** As `PublicKeyCredential.toJSON` or `startAuthentication` returns it; other fields are ignored. */
  readonly credential: Credential & {
    readonly response: {
      readonly clientDataJSON: string;
      readonly authenticatorData: string;
      readonly signature: string;
      readonly userHandle?: string | null;
    };
  };
}
