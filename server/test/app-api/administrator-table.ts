import { ON_POSTGRES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { createMissingId, type AppFixture } from "./app-fixture.ts";

const FORBIDDEN_STATUSES = { owner: 403, admin: 403, member: 403, other: 403 };

/** Entries for administrator operations: all other accounts get 403, whatever the ids. */
export const ADMINISTRATOR_ENTRIES = [
  { administratorStatus: 200, operation: "listAccounts" },
  {
    administratorStatus: 200,
    operation: "updateAccount",
    createIds: async ({ owner }: AppFixture) => [owner.accountId],
    createBody: () => ({}),
  },
  {
    administratorStatus: 201,
    operation: "createResetLink",
    createIds: async ({ owner }: AppFixture) => [owner.accountId],
  },
  {
    administratorStatus: 200,
    operation: "getAccount",
    createIds: async ({ owner }: AppFixture) => [owner.accountId],
  },
  {
    administratorStatus: 404,
    operation: "deleteAccount",
    createIds: async () => [createMissingId()],
  },
  {
    administratorStatus: 200,
    operation: "listAccountDevices",
    createIds: async ({ owner }: AppFixture) => [owner.accountId],
  },
  {
    administratorStatus: 204,
    operation: "removeAccountDevice",
    createIds: async (fixture: AppFixture) => [
      fixture.owner.accountId,
      (await fixture.registerDevice()).id,
    ],
  },
  { administratorStatus: 200, operation: "listNearLimits" },
  { administratorStatus: 200, operation: "getBackup" },
  {
    // PostgreSQL has its own backup tools.
    administratorStatus: ON_POSTGRES.skip === false ? 409 : 202,
    operation: "startBackup",
    createIds: async ({ administrator }: AppFixture) => {
      // Only one backup runs at a time.
      const readBackup = () => administrator.client.admin.backup();
      await eventually(readBackup, ({ state }) => state !== "running");
      return [];
    },
  },
  { administratorStatus: 200, operation: "listSignUpInvitations" },
  { administratorStatus: 201, operation: "createSignUpInvitation", createBody: () => ({}) },
  {
    administratorStatus: 404,
    operation: "removeSignUpInvitation",
    createIds: async () => [createMissingId()],
  },
  { administratorStatus: 200, operation: "listProviders" },
  { administratorStatus: 200, operation: "validateProvider", createIds: async () => ["apns"] },
  { administratorStatus: 200, operation: "getSettings" },
  { administratorStatus: 200, operation: "updateSettings", createBody: () => ({}) },
  { administratorStatus: 200, operation: "getHealth" },
  { administratorStatus: 200, operation: "listAudit" },
  { administratorStatus: 200, operation: "testMail", createBody: () => ({}) },
].map((entry) => ({ ...entry, statuses: FORBIDDEN_STATUSES }));
