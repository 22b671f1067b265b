import type { Server } from "#http/server.ts";
import { registerAudit, type AuditRouteDeps } from "./audit/routes.ts";
import { registerBackup, type BackupRouteDeps } from "./backup/routes.ts";
import { registerDeviceSupervision, type DeviceSupervisionDeps } from "./devices/routes.ts";
import { registerHealth, type HealthRouteDeps } from "./health/routes.ts";
import { registerLimits, type LimitRouteDeps } from "./limits/routes.ts";
import { registerMailTest, type MailTestDeps } from "./mail/routes.ts";
import { registerProviderRoutes, type ProviderRouteDeps } from "./push/routes.ts";
import { registerTroubles, type TroubleRouteDeps } from "./troubles/routes.ts";
import { registerSettingsRoutes, type SettingsRouteDeps } from "./settings/routes.ts";

/** The dependencies of this room's routes. */
export type AdministrationRouteDeps = AuditRouteDeps &
  BackupRouteDeps &
  DeviceSupervisionDeps &
  HealthRouteDeps &
  LimitRouteDeps &
  MailTestDeps &
  ProviderRouteDeps &
  SettingsRouteDeps &
  TroubleRouteDeps;

/** Registers the operations of administrators on the server itself. */
export function registerAdministrationRoutes(server: Server, deps: AdministrationRouteDeps): void {
  registerHealth(server, deps);
  registerTroubles(server, deps);
  registerProviderRoutes(server, deps);
  registerSettingsRoutes(server, deps);
  registerMailTest(server, deps);
  registerAudit(server, deps);
  registerBackup(server, deps);
  registerDeviceSupervision(server, deps);
  registerLimits(server, deps);
}
