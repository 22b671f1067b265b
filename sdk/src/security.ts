import type { Timestamp } from "./page.ts";

/** The result of a sign-in with the password: with a token, a code is needed before there is a session. */
export interface SignInResult {
  readonly twoFactorToken: string | null;
}

/** The request that completes a sign-in; `code` is that of an authenticator app, or a backup code. */
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

/** The password again; not needed while the session is less than ten minutes old, except for two-factor sign-in. */
export interface PasswordAgain {
  readonly password?: string;
}

/** The request that changes the e-mail address, once the link mailed to the new one is opened. */
export interface EmailChange extends PasswordAgain {
  readonly email: string;
}

/** The ways in which an account can sign in. */
export interface Security {
  readonly hasPassword: boolean;
  readonly isEmailVerified: boolean;
  readonly isTwoFactorOn: boolean;
  readonly backupCodesLeft: number;
}

/** The secrets of two-factor sign-in, shown only now; it is on after `confirm`. */
export interface NewTwoFactor {
  /** `otpauth://`, for a QR code. */
  readonly uri: string;
  /** base32, to be typed instead. */
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** New backup codes, shown only now. */
export interface BackupCodes {
  readonly backupCodes: readonly string[];
}

/** The first code of an authenticator app. */
export interface TwoFactorCode {
  readonly code: string;
}

/** One of my sessions. */
export interface AccountSession {
  readonly id: string;
  readonly createdAt: Timestamp;
  /** To the day. */
  readonly lastSeenAt: Timestamp;
  /** Browser and system, such as `Firefox on Linux`; null for unknown ones. */
  readonly userAgent: string | null;
  readonly isCurrent: boolean;
  /** Paired by another of my browsers, with a code or its link. */
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

/** A new passkey as `PublicKeyCredential.toJSON` or `startRegistration` returns it, as far as it is read. */
export interface NewPasskey {
  readonly name: string;
  readonly credential: Credential & {
    readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
  };
}

/** An assertion by a passkey as `PublicKeyCredential.toJSON` or `startAuthentication` returns it, as far as it is read. */
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
