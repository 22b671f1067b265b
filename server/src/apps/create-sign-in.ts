import { createActor, type RequestOrigin } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { DEVICES_MAX, parseName, type Device } from "#devices/device.ts";
import type { DeviceNotices } from "#devices/register.ts";
import { insertDevice, type ChangedDevice } from "#devices/store/devices.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { AppError } from "#errors.ts";
import type { SignedInApp } from "./app.ts";
import { createSecret, createTopic, hashSecret, type SecretKind } from "./secret.ts";
import type { AddAppInput, AddedApp, AppSignIn } from "./sign-in.ts";
import {
  addSecret,
  countSecrets,
  deleteSecret,
  findApp,
  findTopic,
  insertAppQuery,
  insertSecretQuery,
  SECRETS_MAX,
  type NewSecret,
} from "./store/apps.ts";
import { recordIphone } from "./store/iphone.ts";

/** The dependencies of the sign-in of apps. */
export interface AppSignInDeps {
  readonly context: Context;
  /** Emails to owners about new devices; null if the server sends no email. */
  readonly notices: DeviceNotices | null;
  /** Called after the device of an app was added or removed; must not throw. */
  readonly onDeviceChanged: (device: ChangedDevice) => void;
  /** Destroys the streams of a secret on every node; must not throw. */
  readonly endStreamsOfSecret: (credentialId: string) => void;
}

/** Returns the sign-in of connected apps. */
export function createAppSignIn(deps: AppSignInDeps): AppSignIn {
  const { context, onDeviceChanged, endStreamsOfSecret } = deps;
  return {
    add: (input) => addApp(deps, input),
    async find(secret) {
      const secretHash = hashSecret(secret);
      return secretHash === null ? null : findApp(context, secretHash);
    },
    async getOwnTopic(app) {
      const topic = await findTopic(context, app);
      if (topic === null) throw new AppError("not_found", "This app was removed.");
      return topic;
    },
    recordIphone: ({ deviceId }) => recordIphone(context, deviceId),
    addToken: (app, label, origin) =>
      addToken(context, app, { label, actor: toActor(app, origin) }),
    async endSecret(app, origin) {
      await deleteSecret(context, app, toActor(app, origin));
      endStreamsOfSecret(app.credentialId);
    },
    async remove(app, origin) {
      const { accountId, deviceId } = app;
      await removeDevice(context, { accountId, deviceId, actor: toActor(app, origin) });
      onDeviceChanged({ accountId, deviceId });
    },
  };
}

async function addApp(deps: AppSignInDeps, input: AddAppInput): Promise<AddedApp> {
  const { context, notices, onDeviceChanged } = deps;
  const { accountId, client, platform, actor } = input;
  const name = parseName(input.name);
  const deviceId = context.newId();
  if ((await countSecrets(context, accountId)) >= SECRETS_MAX) throw createTooManySecretsError();
  const { secret, row } = createSecretRow(context, {
    deviceId,
    accountId,
    kind: client === "gotify" ? "client_token" : "password",
    label: null,
  });
  const topic = createTopic();
  const device = await insertDevice(context, {
    accountId,
    platform,
    address: { provider: "stream", client, deviceId },
    name,
    actor,
    max: DEVICES_MAX,
    noticeUrl: notices?.baseUrl ?? null,
    actionKeyHash: null,
    joinedStatements: [
      insertAppQuery(context, { deviceId, accountId, client, topic }),
      insertSecretQuery(context, row),
    ],
  });
  const added = requireAdded(device);
  notices?.wakeMailSender();
  onDeviceChanged({ accountId, deviceId, isNew: true });
  const app = {
    deviceId,
    accountId,
    client,
    deviceName: name,
    credentialId: row.id,
    isForIphone: false,
  };
  return { app, device: added, secret, topic };
}

function requireAdded(device: Device | "exists" | "full"): Device {
  if (device === "full") {
    const message = `An account has at most ${DEVICES_MAX} devices. Remove those that you do not use, under Devices in the console, then add this one again.`;
    throw new AppError("conflict", message);
  }
  if (device === "exists") throw new Error("The device has the id of another one.");
  return device;
}

async function addToken(
  context: Context,
  { deviceId, accountId }: SignedInApp,
  { label, actor }: { readonly label: string; readonly actor: Actor },
): Promise<string> {
  const { secret, row } = createSecretRow(context, { deviceId, accountId, kind: "token", label });
  const result = await addSecret(context, row, actor);
  if (result === "full") throw createTooManySecretsError();
  if (result === "removed") throw new AppError("unauthenticated", "This app was removed.");
  return secret;
}

function createSecretRow(
  { newId }: Pick<Context, "newId">,
  owner: Pick<NewSecret, "deviceId" | "accountId" | "label"> & { readonly kind: SecretKind },
): { readonly secret: string; readonly row: NewSecret } {
  const secret = createSecret(owner.kind);
  const secretHash = hashSecret(secret);
  if (secretHash === null) throw new Error("A new secret does not have the form of a secret.");
  return { secret, row: { id: newId(), ...owner, secretHash } };
}

function createTooManySecretsError(): AppError {
  const message = `An account has at most ${SECRETS_MAX} app passwords and tokens. Remove the apps that you do not use, under Devices in the console.`;
  return new AppError("conflict", message);
}

function toActor({ accountId, deviceId }: SignedInApp, origin: RequestOrigin): Actor {
  return createActor(origin, { kind: "device", accountId, credentialId: deviceId });
}
