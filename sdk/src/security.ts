import type { Timestamp } from "./page.ts";

/** What a sign-in with the password came to: with a token, a code is wanted before there is a session. */
export interface SignInResult {
  readonly twoFactorToken: string | null;
}

/** The request that completes a sign-in; `code` is that of an authenticator app, or a backup code. */
export interface SignInCode {
  readonly token: string;
  readonly code: string;
}

/** The request that sets a new password, signed in. */
export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** The request that changes an account. */
export interface AccountChange {
  readonly name: string;
}

/** The password once more; not needed while the session is less than ten minutes old, but for two-factor sign-in. */
export interface PasswordAgain {
  readonly password?: string;
}

/** The request that changes the e-mail address, once the link mailed to the new one was opened. */
export interface EmailChange extends PasswordAgain {
  readonly email: string;
}

/** How an account can sign in. */
export interface Security {
  readonly hasPassword: boolean;
  readonly isEmailVerified: boolean;
  readonly isTwoFactorOn: boolean;
  readonly backupCodesLeft: number;
}

/** The secrets of two-factor sign-in, shown this once; it is on after `confirm`. */
export interface NewTwoFactor {
  /** `otpauth://`, for a QR code. */
  readonly uri: string;
  /** base32, to be typed instead. */
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** New backup codes, shown this once. */
export interface BackupCodes {
  readonly backupCodes: readonly string[];
}

/** The first code of an authenticator app. */
export interface TwoFactorCode {
  readonly code: string;
}

/** One of the places where I am signed in. */
export interface AccountSession {
  readonly id: string;
  readonly createdAt: Timestamp;
  /** As exact as a day. */
  readonly lastSeenAt: Timestamp;
  /** Browser and system, such as `Firefox on Linux`; null for unknown ones. */
  readonly userAgent: string | null;
  readonly isCurrent: boolean;
  /** Added by another of my browsers, with a code or its link. */
  readonly isPaired: boolean;
}

/** A passkey by what may be known of it. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Timestamp;
  readonly lastUsedAt: Timestamp | null;
}

/** The request that gives a passkey another name. */
export interface PasskeyChange {
  readonly name: string;
}

interface CredentialDescriptor {
  readonly type: "public-key";
  readonly id: string;
}

/**
 * What `PublicKeyCredential.parseCreationOptionsFromJSON` takes, or `startRegistration` of `@simplewebauthn/browser` as
 * `optionsJSON`; bytes are base64url.
 */
export interface PasskeyOptions {
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  // The library takes no readonly arrays.
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

/** What `PublicKeyCredential.parseRequestOptionsFromJSON` takes, or `startAuthentication` as `optionsJSON`. */
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

/** A new passkey as `PublicKeyCredential.toJSON` or `startRegistration` gives it, as far as it is read. */
export interface NewPasskey {
  readonly name: string;
  readonly credential: Credential & {
    readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
  };
}

/** The answer of a passkey as `PublicKeyCredential.toJSON` or `startAuthentication` gives it, as far as it is read. */
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
