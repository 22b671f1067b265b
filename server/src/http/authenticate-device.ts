import type { FastifyRequest } from "fastify";
import { createActor } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import { AppError } from "#errors.ts";

/** A device that proved its identity with its action key, and acts for its owner. */
export interface ActingDevice {
  readonly deviceId: string;
  /** The owner. */
  readonly accountId: string;
  /** The device as the audit log records it, with the origin of the request. */
  readonly actor: Actor;
}

/** Returns the live device with this id and action key; null if there is none. The devices room implements it. */
export type FindDeviceByActionKey = (credential: {
  readonly deviceId: string;
  readonly actionKey: string;
}) => Promise<Pick<ActingDevice, "deviceId" | "accountId"> | null>;

/** Returns the device that sends a request; throws `unauthenticated`, with the same message for every reason. */
export type AuthenticateDevice = (request: FastifyRequest) => Promise<ActingDevice>;

/** Returns the authentication by `Authorization: Device <deviceId>.<actionKey>`. */
export function createAuthenticateDevice(findDevice: FindDeviceByActionKey): AuthenticateDevice {
  return async (request) => {
    const [, deviceId, actionKey] =
      DEVICE_CREDENTIAL.exec(request.headers.authorization ?? "") ?? [];
    const device =
      deviceId === undefined || actionKey === undefined
        ? null
        : await findDevice({ deviceId, actionKey });
    if (device === null) {
      const message =
        "Send the key of a registered device: Authorization: Device <deviceId>.<actionKey>.";
      throw new AppError("unauthenticated", message);
    }
    const { accountId } = device;
    const credential = { kind: "device", accountId, credentialId: device.deviceId } as const;
    return { deviceId: device.deviceId, accountId, actor: createActor(request, credential) };
  };
}

/** An id and a key, both with the characters of base64url. */
const DEVICE_CREDENTIAL = /^Device +([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})$/i;
