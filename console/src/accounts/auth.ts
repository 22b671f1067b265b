import { askToDo } from "../../../sdk/src/http.ts";
import { parseServer } from "../../../sdk/src/server.ts";

/** Asks for a mail with a link to a new password; the answer is the same where the address has no account. */
export function requestPasswordReset(email: string): Promise<void> {
  return post("request-password-reset", { email });
}

/** Sets a new password by the token of such a link; throws `expired`. */
export function resetPassword(token: string, newPassword: string): Promise<void> {
  return post("reset-password", { token, newPassword });
}

/** Confirms an e-mail address by the token of a mailed link; throws `expired`. */
export function verifyEmail(token: string): Promise<void> {
  return post("verify-email", { token });
}

function post(operation: string, body: object): Promise<void> {
  const server = parseServer({ baseUrl: location.origin });
  const path = ["api", "auth", operation];
  return askToDo(server, { operation, method: "POST", path, auth: "session", body });
}
