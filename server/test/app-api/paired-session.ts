/**
 * Expected statuses for a browser that the owner paired with a code. The browser sends the password if an operation
 * accepts one. Lists every operation that changes an account: none of them may let such a browser lock the owner out.
 */
export const PAIRED_SESSION_STATUSES: Readonly<Record<string, number>> = {
  updateMe: 200,
  sendVerification: 204,
  // These operations need the password.
  changeEmail: 204,
  beginTwoFactor: 200,
  renewBackupCodes: 409,
  endTwoFactor: 204,
  beginPasskey: 200,
  deleteMe: 400,
  // Refused without the password, which the request does not contain.
  createAccessToken: 403,
  // No two-factor or passkey set-up is in progress.
  confirmTwoFactor: 409,
  createPasskey: 400,
  updatePasskey: 200,
  createPairing: 201,
  removePairing: 204,
  // These operations would remove the owner's ways to sign in.
  removePasskey: 403,
  removeAccessToken: 403,
  removeSession: 403,
  removeOtherSessions: 403,
};
