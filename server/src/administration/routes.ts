import type { Server } from "#http/server.ts";
import { registerAudit, type AuditRouteDeps } from "./audit/routes.ts";
import { registerHealth, type HealthRouteDeps } from "./health/routes.ts";
import { registerMailTest, type MailTestDeps } from "./mail/routes.ts";
import { registerProviderRoutes, type ProviderRouteDeps } from "./push/routes.ts";
import { registerSettingsRoutes, type SettingsRouteDeps } from "./settings/routes.ts";
import { registerTroubles, type TroubleRouteDeps } from "./troubles/routes.ts";

/** What the routes of this room depend on. */
export type AdministrationRouteDeps = AuditRouteDeps &
  HealthRouteDeps &
  MailTestDeps &
  ProviderRouteDeps &
  SettingsRouteDeps &
  TroubleRouteDeps;

/** Registers what administrators see and set of the server itself. */
export function registerAdministrationRoutes(server: Server, deps: AdministrationRouteDeps): void {
  registerHealth(server, deps);
  registerTroubles(server, deps);
  registerProviderRoutes(server, deps);
  registerSettingsRoutes(server, deps);
  registerMailTest(server, deps);
  registerAudit(server, deps);
}
