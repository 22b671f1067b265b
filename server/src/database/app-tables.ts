/** The app of a device that fetches its messages over a connection that it opens. */
export interface ConnectedAppTable {
  device_id: string;
  account_id: string;
  client: "ntfy" | "gotify" | "other";
  /** The app's own topic, which has the messages of every channel. */
  topic: string;
  /** The number of the latest message in the mailbox; 0 before the first. */
  last_number: number;
  /** JSON of the channels that the app listens to; null for every channel, or if it has never listened. */
  channels: string | null;
  /** The node that holds a stream of the app; null if none does. */
  node_id: string | null;
  /** When the app opened its latest stream. */
  connected_at: number | null;
  /** When the app's last stream ended, or it last fetched without a stream. */
  disconnected_at: number | null;
  /** When the app first named itself one for iPhones; null if it never did. */
  iphone_since: number | null;
}

/** A secret with which a connected app signs in. */
export interface AppSecretTable {
  id: string;
  device_id: string;
  account_id: string;
  kind: "password" | "client_token" | "token";
  /** SHA-256, hexadecimal, of the secret; of an app password in lower case and without hyphens. */
  secret_hash: string;
  label: string | null;
  created_at: number;
}

/** A message that a connected app is owed or was given. */
export interface MailboxTable {
  device_id: string;
  /** Counts from 1 for each device. Numbers are committed in their order. */
  number: number;
  notification_id: string;
  /** When the notification expires. A message that the app was not given until then is never written. */
  expires_at: number;
  put_at: number;
  /** When it was proven that the app has the message; null while it is owed. */
  taken_at: number | null;
  /** The proof; null while the message is owed. */
  how: "answered" | "written" | "fetched" | "resumed" | null;
  /** When the app removed the message from its list. */
  removed_at: number | null;
}
