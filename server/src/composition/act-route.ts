import { actByDevice, type ButtonAct } from "#incidents/act-by-device.ts";
import { readNotifications } from "#notifications/acts/read-notifications.ts";
import type { ActHandler } from "#notifications/acts/routes.ts";
import { answerByDevice } from "#prompts/answer-by-device.ts";
import { listMembershipPeriods } from "#teams/store/teams.ts";
import type { Rooms } from "./rooms.ts";

/** Returns the dependencies of the route for acts, with one handler for each act that a device may perform. */
export function createActRouteDeps(rooms: Rooms) {
  const { context, authenticateDevice, incidents, rateLimit, publisher } = rooms;
  const readDeps = {
    context,
    listMembershipPeriods: (accountId: string) => listMembershipPeriods(context, accountId),
    onChanged: publisher.publishFeedChange,
  };
  const read: ActHandler = {
    subjectField: "notificationIds",
    needsAnswer: false,
    perform: (device, request) => readNotifications(readDeps, device, request),
  };
  const createButtonHandler = (kind: ButtonAct): ActHandler => ({
    subjectField: "incidentId",
    needsAnswer: false,
    async perform(device, { subjectIds: [incidentId = ""] }) {
      return actByDevice({ context, incidents, rateLimit }, device, { kind, incidentId });
    },
  });
  const answer: ActHandler = {
    subjectField: "promptId",
    needsAnswer: true,
    async perform(device, { subjectIds: [promptId = ""], answer: text }) {
      return answerByDevice({ context, incidents }, device, { promptId, answer: text ?? "" });
    },
  };
  const handlers = {
    read,
    acknowledge: createButtonHandler("acknowledge"),
    escalate: createButtonHandler("escalate"),
    ring_again: createButtonHandler("ring_again"),
    answer,
  };
  return { authenticateDevice, rateLimiter: rateLimit, handlers };
}
