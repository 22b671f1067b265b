import { TEAM_ROLES } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";

/** A time in RFC 3339 format, in UTC. */
export const Timestamp = Type.String({ format: "date-time" });

/** The role of an account in a team. */
export const Role = Type.Enum([...TEAM_ROLES]);

/** A team as one of its members sees it. */
export const TeamResponse = Type.Object({ id: Type.String(), name: Type.String(), role: Role });

/** The description of the member id, in responses and paths. */
export const MEMBER_ID_DESCRIPTION =
  "The member id: it names this person in this team alone, from joining to leaving, and is not the account's id.";

/** A member of a team. */
export const MemberResponse = Type.Object({
  accountId: Type.String({ description: MEMBER_ID_DESCRIPTION }),
  isMe: Type.Boolean({ description: "Whether this member is the requesting account." }),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  deviceCount: Type.Integer(),
  deviceLeftAt: Type.Union([Timestamp, Type.Null()]),
});

/** An invitation as its team sees it. */
export const InvitationResponse = Type.Object({
  id: Type.String(),
  email: Type.String(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});
