/** What monitors send: a title, a line or two, a channel and where to look. */
export const SAMPLE = {
  title: "Disk almost full",
  body: "/var on db-3 has 2 % left, and loses 1 % in an hour.",
  channel: "monitoring",
  link: "https://status.example.org/incidents/4711",
} as const;
