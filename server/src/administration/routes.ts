import type { Server } from "#http/server.ts";
import { registerAuditRoutes, type AuditRouteDeps } from "./audit/routes.ts";
import { registerBackupRoutes, type BackupRouteDeps } from "./backup/routes.ts";
import { registerAccountDeviceRoutes, type AccountDeviceRouteDeps } from "./devices/routes.ts";
import { registerHealthRoutes, type HealthRouteDeps } from "./health/routes.ts";
import { registerLimitRoutes, type LimitRouteDeps } from "./limits/routes.ts";
import { registerTestMailRoutes, type TestMailRouteDeps } from "./mail/routes.ts";
import { registerProviderRoutes, type ProviderRouteDeps } from "./push/routes.ts";
import { registerTroubleRoutes, type TroubleRouteDeps } from "./troubles/routes.ts";
import { registerSettingsRoutes, type SettingsRouteDeps } from "./settings/routes.ts";

/** The dependencies of this room's routes. */
export type AdministrationRouteDeps = AuditRouteDeps &
  BackupRouteDeps &
  AccountDeviceRouteDeps &
  HealthRouteDeps &
  LimitRouteDeps &
  TestMailRouteDeps &
  ProviderRouteDeps &
  SettingsRouteDeps &
  TroubleRouteDeps;

/** Registers the operations of administrators on the server itself. */
export function registerAdministrationRoutes(server: Server, deps: AdministrationRouteDeps): void {
  registerHealthRoutes(server, deps);
  registerTroubleRoutes(server, deps);
  registerProviderRoutes(server, deps);
  registerSettingsRoutes(server, deps);
  registerTestMailRoutes(server, deps);
  registerAuditRoutes(server, deps);
  registerBackupRoutes(server, deps);
  registerAccountDeviceRoutes(server, deps);
  registerLimitRoutes(server, deps);
}
