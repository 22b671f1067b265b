import type { SignUpPolicy } from "#accounts/sign-up.ts";
import type { Config } from "#config/config.ts";
import type { Actor, ChangedValue } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { AppError, invalidField } from "#errors.ts";
import { readSettings, writeSettings } from "./store.ts";

/** The settings that an administrator may change while the server runs. */
export interface Settings {
  readonly signUp: SignUpPolicy;
  readonly retentionDays: number;
}

/** The dependencies of settings. */
export interface SettingsDeps {
  readonly context: Context;
  readonly config: Pick<Config, "signUp" | "retentionDays" | "fixed">;
}

const SIGN_UP_POLICIES: readonly SignUpPolicy[] = ["open", "invite", "closed"];
/** Maximum value of `retentionDays`. */
export const RETENTION_DAYS_MAX = 3_650;

/** The environment variable that overrides each setting. */
export const SETTING_VARIABLES = {
  signUp: "TOCSIN_SIGN_UP",
  retentionDays: "TOCSIN_RETENTION_DAYS",
} as const;

/**
 * Returns the current settings, from the environment, otherwise from the database, otherwise the defaults. Calls are
 * rare, so each one reads the database, and a change takes effect immediately in every process.
 */
export async function readCurrentSettings({ context, config }: SettingsDeps): Promise<Settings> {
  const storedValues = await readSettings(context);
  const { fixed } = config;
  const policy = SIGN_UP_POLICIES.find((candidate) => candidate === storedValues.get("signUp"));
  const days = Number(storedValues.get("retentionDays"));
  return {
    signUp: fixed.signUp ? config.signUp : (policy ?? config.signUp),
    retentionDays: fixed.retentionDays || !isRetentionDays(days) ? config.retentionDays : days,
  };
}

/**
 * Changes settings, all or none. Throws `invalid_field` if a value is invalid, and `conflict` if a setting comes from
 * the environment.
 */
export async function changeSettings(
  deps: SettingsDeps,
  {
    actor,
    ...change
  }: Partial<Record<keyof Settings, string | number>> & { readonly actor: Actor },
): Promise<void> {
  const { context, config } = deps;
  const { signUp, retentionDays } = change;
  if (signUp !== undefined) {
    requireNotFixed("signUp", config.fixed);
    if (!SIGN_UP_POLICIES.some((policy) => policy === signUp)) {
      throw invalidField("signUp", "signUp must be open, invite or closed.");
    }
  }
  if (retentionDays !== undefined) {
    requireNotFixed("retentionDays", config.fixed);
    if (!isRetentionDays(retentionDays)) {
      throw invalidField(
        "retentionDays",
        `retentionDays must be a whole number from 1 to ${RETENTION_DAYS_MAX}.`,
      );
    }
  }
  const before = await readCurrentSettings(deps);
  const names = SETTING_NAMES.filter((name) => change[name] !== undefined);
  if (names.length === 0) return;
  const changes = names.map((name): ChangedValue => ({
    name,
    before: String(before[name]),
    after: String(change[name]),
  }));
  await writeSettings(context, {
    settings: Object.fromEntries(changes.map(({ name, after }) => [name, after ?? ""])),
    event: { action: "settings_changed", actor, accountId: null, changes },
  });
}

const SETTING_NAMES = ["signUp", "retentionDays"] as const;

function requireNotFixed(name: keyof Settings, fixed: Config["fixed"]): void {
  if (!fixed[name]) return;
  const message = `${SETTING_VARIABLES[name]} overrides this setting. Unset it and restart the server to change it here.`;
  throw new AppError("conflict", message, { field: name });
}

function isRetentionDays(days: unknown): days is number {
  return (
    typeof days === "number" && Number.isInteger(days) && days >= 1 && days <= RETENTION_DAYS_MAX
  );
}
