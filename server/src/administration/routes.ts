import type { Server } from "#http/server.ts";
import { registerHealth, type HealthRouteDeps } from "./health/routes.ts";
import { registerMailTest, type MailTestDeps } from "./mail/routes.ts";
import { registerProviderRoutes, type ProviderRouteDeps } from "./push/routes.ts";
import { registerSettingsRoutes, type SettingsRouteDeps } from "./settings/routes.ts";

/** What the routes of this room depend on. */
export type AdministrationRouteDeps = HealthRouteDeps &
  MailTestDeps &
  ProviderRouteDeps &
  SettingsRouteDeps;

/** Registers what administrators see and set of the server itself. */
export function registerAdministrationRoutes(server: Server, deps: AdministrationRouteDeps): void {
  registerHealth(server, deps);
  registerProviderRoutes(server, deps);
  registerSettingsRoutes(server, deps);
  registerMailTest(server, deps);
}
