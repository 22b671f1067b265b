import { PUSH_PROVIDERS, type PushProviderName, type ProviderState } from "@tocsin/sdk";
import type { Config } from "#config/config.ts";
import type { Context } from "#context.ts";
import type { Delivery, ProviderReport } from "#delivery/create-delivery.ts";
import { explainCode } from "#delivery/explain.ts";
import { parseProvider } from "#delivery/services/service-records.ts";
import { summarizeDevicesByProvider } from "#devices/store/counts.ts";
import { formatTimestamp } from "#schema/timestamp.ts";

/** The dependencies of the provider report. */
export interface ProvidersDeps {
  readonly context: Context;
  readonly config: Pick<Config, "apns" | "fcm" | "webPush">;
  readonly vapidPublicKey: string;
  /** Returns the contact that is sent to push services; null if none is known yet. */
  readonly getContact: () => Promise<string | null>;
  readonly delivery: Pick<Delivery, "getProviderReport" | "countWaitingJobs">;
}

/** Returns the settings and the state of each provider, without its secrets. */
export async function describeProviders(deps: ProvidersDeps) {
  const { context, delivery } = deps;
  const [devices, waitingJobs, contact] = await Promise.all([
    summarizeDevicesByProvider(context),
    delivery.countWaitingJobs(),
    deps.getContact(),
  ]);
  return PUSH_PROVIDERS.map((provider) => {
    const report = delivery.getProviderReport(provider);
    const { count = 0, lastAcceptedAt = null } = devices.get(provider) ?? {};
    const settings = listProviderSettings({ ...deps, contact }, provider);
    const acceptedAt = Math.max(report.lastAcceptedAt ?? 0, lastAcceptedAt ?? 0);
    const isConfigured = settings !== null;
    const wasUsed = acceptedAt > 0 || report.lastFailure !== null;
    return {
      provider,
      isConfigured,
      state: toProviderState({ isConfigured, wasUsed, troubles: report.troubles }),
      settings: settings ?? [],
      troubles: report.troubles.map((trouble) => toTrouble(provider, trouble)),
      lastAcceptedAt: acceptedAt === 0 ? null : formatTimestamp(acceptedAt),
      lastFailure: toFailure(provider, report.lastFailure),
      deviceCount: count,
      waitingCount: [...waitingJobs]
        .filter(([service]) => parseProvider(service) === provider)
        .reduce((sum, [, jobCount]) => sum + jobCount, 0),
    };
  });
}

/** Returns the settings that are not secret; null if the provider is not configured. */
function listProviderSettings(
  {
    config,
    vapidPublicKey,
    contact,
  }: Pick<ProvidersDeps, "config" | "vapidPublicKey"> & { readonly contact: string | null },
  provider: PushProviderName,
) {
  switch (provider) {
    case "apns": {
      if (config.apns === null) return null;
      const { keyId, teamId, topic } = config.apns;
      return toSettings({ keyId, teamId, topic });
    }
    case "fcm":
      return config.fcm === null
        ? null
        : toSettings({ projectId: config.fcm.credentials.projectId });
    case "webpush": {
      const { mode, extraHosts } = config.webPush;
      const hosts = [mode, ...extraHosts].join(", ");
      return toSettings({ publicKey: vapidPublicKey, subject: contact ?? "", hosts });
    }
  }
}

type SettingName = "keyId" | "teamId" | "topic" | "projectId" | "publicKey" | "subject" | "hosts";

function toSettings(settings: Partial<Record<SettingName, string>>) {
  // The names come from the object literals above.
  return Object.entries(settings).map(([name, value]) => ({ name: name as SettingName, value }));
}

/**
 * Returns the state of a provider. One service with a problem is enough for `held`, even if the other services work.
 */
function toProviderState(facts: {
  readonly isConfigured: boolean;
  readonly wasUsed: boolean;
  readonly troubles: ProviderReport["troubles"];
}): ProviderState {
  if (!facts.isConfigured) return "off";
  if (facts.troubles.length > 0) return "held";
  return facts.wasUsed ? "working" : "unused";
}

function toTrouble(
  provider: PushProviderName,
  { service, hold }: ProviderReport["troubles"][number],
) {
  const { code, detail } = hold.reason;
  return {
    service,
    cause: hold.cause,
    since: formatTimestamp(hold.since),
    message: explainCode({ provider, code, detail }),
  };
}

function toFailure(provider: PushProviderName, failure: ProviderReport["lastFailure"]) {
  if (failure === null) return null;
  const { service, code, detail, at } = failure;
  return {
    service,
    code,
    message: explainCode({ provider, code, detail }),
    at: formatTimestamp(at),
  };
}
