import type { Logger } from "pino";
import type { SendMail } from "./mail.ts";

/** Returns the sender for a server without a mail server. It logs the link, but not the recipient. */
export function createLoggingSender(log: Logger): SendMail {
  return async ({ purpose, link }) => {
    log.info({ purpose, link }, "no mail server is configured; share this link yourself");
    return { kind: "accepted" };
  };
}
