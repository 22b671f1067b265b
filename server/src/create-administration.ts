import { monitorEventLoopDelay } from "node:perf_hooks";
import type { AdministrationRouteDeps } from "#administration/routes.ts";
import { STEP_NAMES } from "#database/migration.ts";
import { isNamed } from "#providers/webpush/endpoint-policy.ts";
import manifest from "../package.json" with { type: "json" };
import type { AppOptions, Rooms } from "./rooms.ts";

/** Loaded when an administrator asks it something. */
const doctor = async () => import("#doctor/doctor.ts");

/** Returns what administrators see and set: of all rooms, and of what `tocsin doctor` looks at. */
export function createAdministration(options: AppOptions, rooms: Rooms): AdministrationRouteDeps {
  const { config, log: _log, ...seams } = options;
  const { context, vapidPublicKey, contact, delivery, mail } = rooms;
  const { authenticate, authenticateAdministrator } = rooms;
  // It samples by a timer that keeps no process alive.
  // By a timer, it would wake an idle process a hundred times a second.
  const loopDelay = monitorEventLoopDelay({ samplePerIteration: true });
  loopDelay.enable();
  return {
    context,
    config,
    authenticate,
    authenticateAdministrator,
    onDeviceChanged: rooms.tell.device,
    vapidPublicKey,
    contact,
    isNamedHost: (host) => isNamed(config.webPush, host),
    delivery,
    mail,
    loopDelay,
    version: manifest.version,
    step: STEP_NAMES.at(-1) ?? "",
    startedAt: context.now(),
    address: config,
    examineProvider: async (provider) =>
      (await doctor()).examineProvider(provider, { config, contact, ...seams }),
    examineMachine: async () => (await doctor()).examineMachine(config, contact),
    async tryMail(to) {
      const { tryMail } = await import("#doctor/mail.ts");
      return { subject: "mail", ...(await tryMail(config, trialMail(to, config))) };
    },
  };
}

function trialMail(to: string, { baseUrl }: AppOptions["config"]) {
  return {
    to,
    subject: "Mail from Tocsin works",
    text: `This mail was sent by an administrator of
${baseUrl}

to see whether mail works. It does. There is nothing to do.
`,
  };
}
