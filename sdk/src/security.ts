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

/** The repeated password; not needed while the session is less than ten minutes old, except for two-factor sign-in. */
export interface PasswordConfirmation {
  readonly password?: string;
}

/** The request that changes the email address; it takes effect when the link emailed to the new one is opened. */
export interface EmailChange extends PasswordConfirmation {
  readonly email: string;
}

/** The sign-in settings of an account. */
export interface Security {
  readonly hasPassword: boolean;
  readonly isEmailVerified: boolean;
  readonly isTwoFactorOn: boolean;
  readonly backupCodesLeft: number;
}

/** The secrets of two-factor sign-in, shown only in this response; `confirm` turns it on. */
export interface NewTwoFactor {
  /** `otpauth://`, for a QR code. */
  readonly uri: string;
  /** Base32, to type instead. */
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** New backup codes, shown only in this response. */
export interface BackupCodes {
  readonly backupCodes: readonly string[];
}

/** The first code of an authenticator app. */
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
  /** Whether another browser of the account opened it, by a pairing. */
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

/** A new passkey as `PublicKeyCredential.toJSON` or `startRegistration` returns it; other fields are ignored. */
export interface NewPasskey {
  readonly name: string;
  readonly credential: Credential & {
    readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
  };
}

/**
 * A passkey assertion as `PublicKeyCredential.toJSON` or `startAuthentication` returns it; other fields are ignored.
 */
export interface PasskeySignIn {
  readonly credential: Credential & {
    readonly response: {
      readonly clientDataJSON: string;
      readonly authenticatorData: string;
      readonly signature: string;
      readonly userHandle?: string | null;
    };
  };
}
