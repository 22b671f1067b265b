import type { StreamAddress } from "#providers/provider.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { DeliveryResult } from "../delivery.ts";

/** The app of a device that fetches its messages. */
export interface ExplainedApp {
  /** Null if the client is unknown, because the device was removed. */
  readonly client: StreamAddress["client"] | null;
  readonly deviceName: string;
}

/** Returns the sentence for a code that only apps have. */
export function explainAppCode(
  code: "app_not_connected" | "not_subscribed",
  detail: string | null,
): string {
  if (code === "app_not_connected") return "the app did not connect.";
  return `The app listens to ${detail ?? "other channels"} only.`;
}

/**
 * Returns the sentence for a message that waits until its app fetches it. The detail says when the app last connected.
 */
export function explainKept(
  { detail, expiresAt }: { readonly detail: string | null; readonly expiresAt: number | null },
  app: ExplainedApp | null,
): string {
  const device = app === null ? "" : ` on ${app.deviceName}`;
  const connection = detail === null ? "" : `, ${detail}`;
  const end = expiresAt === null ? "it expires" : formatTimestamp(expiresAt);
  return `Waiting for ${nameApp(app)}${device}${connection}. Kept until ${end}.`;
}

/** Returns the sentence for a message that an app has. The detail of the result is the proof. */
export function explainProof(
  { detail, at }: Pick<DeliveryResult, "detail" | "at">,
  app: ExplainedApp | null,
): string {
  const name = nameApp(app);
  const time = formatTimestamp(at);
  if (detail === "written") {
    return `Written to ${name}'s open connection. The app does not confirm; when it reconnects it asks for what it missed.`;
  }
  if (detail === "fetched") return `Fetched by ${name} at ${time}.`;
  return detail === "resumed"
    ? `Received by ${name}, which went on after it at ${time}.`
    : `Received by ${name}, which answered at ${time}.`;
}

const CLIENT_NAMES: Readonly<Record<StreamAddress["client"], string>> = {
  ntfy: "the ntfy app",
  gotify: "the Gotify app",
  other: "the app",
};

function nameApp(app: ExplainedApp | null): string {
  return CLIENT_NAMES[app?.client ?? "other"];
}
