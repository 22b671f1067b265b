import { ON_POSTGRES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { missingId, type Stage } from "./stage.ts";

const FORBIDDEN = { owner: 403, admin: 403, member: 403, other: 403 };

/** Entries for administrator operations: all other accounts get 403, whatever the ids. */
export const ADMINISTRATOR_ENTRIES = [
  { administrator: 200, operation: "listAccounts" },
  {
    administrator: 200,
    operation: "updateAccount",
    ids: async ({ owner }: Stage) => [owner.accountId],
    body: () => ({}),
  },
  {
    administrator: 201,
    operation: "createResetLink",
    ids: async ({ owner }: Stage) => [owner.accountId],
  },
  {
    administrator: 200,
    operation: "getAccount",
    ids: async ({ owner }: Stage) => [owner.accountId],
  },
  { administrator: 404, operation: "deleteAccount", ids: async () => [missingId()] },
  {
    administrator: 200,
    operation: "listAccountDevices",
    ids: async ({ owner }: Stage) => [owner.accountId],
  },
  {
    administrator: 204,
    operation: "removeAccountDevice",
    ids: async (stage: Stage) => [stage.owner.accountId, (await stage.device()).id],
  },
  { administrator: 200, operation: "listNearLimits" },
  { administrator: 200, operation: "getBackup" },
  {
    // PostgreSQL has its own backup tools.
    administrator: ON_POSTGRES.skip === false ? 409 : 202,
    operation: "startBackup",
    ids: async ({ administrator }: Stage) => {
      // Only one backup runs at a time.
      const readBackup = () => administrator.client.admin.backup();
      await eventually(readBackup, ({ state }) => state !== "running");
      return [];
    },
  },
  { administrator: 200, operation: "listSignUpInvitations" },
  { administrator: 201, operation: "createSignUpInvitation", body: () => ({}) },
  { administrator: 404, operation: "removeSignUpInvitation", ids: async () => [missingId()] },
  { administrator: 200, operation: "listProviders" },
  { administrator: 200, operation: "validateProvider", ids: async () => ["apns"] },
  { administrator: 200, operation: "getSettings" },
  { administrator: 200, operation: "updateSettings", body: () => ({}) },
  { administrator: 200, operation: "getHealth" },
  { administrator: 200, operation: "listAudit" },
  { administrator: 200, operation: "testMail", body: () => ({}) },
].map((entry) => ({ ...entry, statuses: FORBIDDEN }));
