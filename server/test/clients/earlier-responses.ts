import assert from "node:assert/strict";
import { toComparable, type TestResponse } from "../contract/http-requests.ts";
import type { ClientCase } from "./recorded-client.ts";

const DELIVERED =
  '200 {"success":true,"message":"Delivered to 1 of 1 device","responses":[{"success":true,"message":"Accepted by the browser\'s push service. Delivery to the device is up to the service."}]}';
const ACCEPTED = '200 {"success":true,"message":"Notification accepted"}';
const NO_DEVICE =
  '200 {"success":false,"message":"No devices are signed in to this account yet. The notification is in its feed.","responses":[]}';
const WRONG_KEY =
  '401 {"success":false,"message":"Invalid API key, authentication failed","error":{"code":"invalid_key",}}';

/**
 * The statuses and bodies of the responses to the recorded requests, recorded from the last version without priorities,
 * incidents and prompts.
 */
const EARLIER_RESPONSES: Readonly<Record<ClientCase, readonly string[]>> = {
  success: [DELIVERED, ACCEPTED],
  noDevice: [NO_DEVICE, ACCEPTED],
  wrongKey: [WRONG_KEY],
  emptyTitle: [DELIVERED, ACCEPTED],
  longText: [DELIVERED, ACCEPTED],
};

/** Fails unless the response is an earlier one, and no header has the id of an incident, prompt or scheduled send. */
export function assertEarlierResponse(response: TestResponse, name: ClientCase): void {
  const text = toComparable(response);
  assert.ok(EARLIER_RESPONSES[name].includes(text), text);
  for (const subject of ["incident", "prompt", "scheduled"])
    assert.equal(response.headers[`x-${subject}-id`], undefined);
}
