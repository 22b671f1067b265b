/** A typical monitoring message with a title, a short text, a channel and a link. */
export const SAMPLE = {
  title: "Disk almost full",
  body: "/var on db-3 has 2 % left, and loses 1 % in an hour.",
  channel: "monitoring",
  link: "https://status.example.org/incidents/4711",
} as const;

/** The collapse id of the sample at APNs. */
export const COLLAPSE_ID = "01JD4ZK3M1N8Q2R5T7V9X0Y2Z4";

/** The expiry of the sample at APNs, in seconds since the epoch. */
export const EXPIRES_AT_S = 1_795_000_000;
