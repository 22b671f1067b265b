import { Type } from "#schema/json-schema.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { ListedApp } from "./store/apps.ts";

const Timestamp = Type.String({ format: "date-time" });
const NullableTimestamp = Type.Union([Timestamp, Type.Null()]);

/** The schema of an app in an account export. */
export const ExportedAppSchema = Type.Object({
  deviceId: Type.String(),
  name: Type.String(),
  client: Type.String({ description: "ntfy, gotify or other." }),
  channels: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "The channels that the app listens to; null for every channel.",
  }),
  connectedAt: NullableTimestamp,
  disconnectedAt: NullableTimestamp,
  credentials: Type.Array(
    Type.Object({
      kind: Type.String({ description: "password, client_token or token." }),
      label: Type.Union([Type.String(), Type.Null()]),
      createdAt: Timestamp,
    }),
    { description: "Without their secrets." },
  ),
});

/** Returns an app as an account export contains it. */
export function toExportedApp(app: ListedApp) {
  const { id, name, client, channels } = app;
  return {
    deviceId: id,
    name,
    client,
    channels,
    connectedAt: formatNullable(app.connectedAt),
    disconnectedAt: formatNullable(app.disconnectedAt),
    credentials: app.secrets.map(({ kind, label, createdAt }) => {
      return { kind, label, createdAt: formatTimestamp(createdAt) };
    }),
  };
}

function formatNullable(at: number | null): string | null {
  return at === null ? null : formatTimestamp(at);
}
