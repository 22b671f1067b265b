import { MailServer } from "../doubles/mail-server.ts";
import type { Scope } from "./scope.ts";

/** Starts a mail server that ends with the scope. Returns it with the settings for a server that sends through it. */
export async function startMailServer(scope: Scope) {
  const mail = await MailServer.start();
  scope.after(() => mail.close());
  const environment = {
    TOCSIN_SMTP_URL: mail.url,
    TOCSIN_MAIL_FROM: "Tocsin <tocsin@example.org>",
  };
  return { mail, environment };
}
