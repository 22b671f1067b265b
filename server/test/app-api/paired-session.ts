/**
 * The status for a browser that the owner paired by a code, with the password given where an operation takes it. Said of everything that
 * changes an account: by none of it may such a browser keep the owner out.
 */
export const PAIRED_SESSION: Readonly<Record<string, number>> = {
  updateMe: 200,
  sendVerification: 204,
  // Each of these asks for the password.
  changeEmail: 204,
  beginTwoFactor: 200,
  renewBackupCodes: 409,
  endTwoFactor: 204,
  beginPasskey: 200,
  deleteMe: 400,
  // It was given none.
  createAccessToken: 403,
  // Nobody has begun.
  confirmTwoFactor: 409,
  createPasskey: 400,
  updatePasskey: 200,
  createPairing: 201,
  removePairing: 204,
  // By which the owner is in, or comes in.
  removePasskey: 403,
  removeAccessToken: 403,
  removeSession: 403,
  removeOtherSessions: 403,
};
