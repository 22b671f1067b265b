import type { NotificationContent } from "@tocsin/sdk";
import { pickContent } from "#content/response.ts";
import type { Context } from "#context.ts";
import type { ConditionalHandover } from "#delivery/accept/prepare-accept.ts";
import {
  BULK_LANE,
  createDeviceWork,
  getFeedId,
  type NewNotification,
  type Work,
} from "#delivery/delivery.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import type { Target } from "#devices/device.ts";
import { createFeedEntryRow } from "#notifications/feed/store.ts";
import type { Decision, HistoryEntry, IncidentPush, PushCause } from "./decision.ts";
import { isRinging, type Incident } from "./incident.ts";
import { createInteraction } from "./push-interaction.ts";
import { getPushPriority, getRingsUntil } from "./push-traits.ts";
import type { AudienceDevices, ResolvedStep } from "./resolve-step.ts";
import { isSameAudience, type AudienceReach, type ToldAudience } from "./told-audience.ts";

/** The new line of an incident in a feed, and the earlier line that it replaces. */
export interface FeedLine {
  readonly feedId: string;
  readonly notificationId: string;
  /** The earlier line of the incident; null if the incident has no line in this feed. */
  readonly replacedId: string | null;
}

/** An entry of the history, with the notification that it pushed. */
export interface PlannedEntry extends Omit<HistoryEntry, "kind"> {
  readonly kind: HistoryEntry["kind"] | "push" | "mail";
  readonly notificationId: string | null;
  /** The account to which an email goes. */
  readonly mailedTo?: string;
}

/** The notifications and rows that a decision leads to. */
export interface ChangePlan {
  readonly handovers: readonly ConditionalHandover[];
  readonly newAudiences: readonly ToldAudience[];
  readonly feedLines: readonly FeedLine[];
  readonly entries: readonly PlannedEntry[];
}

/** A decision, with everything that was read for it. */
export interface PlanInput {
  readonly decision: Decision;
  /** The audiences that were told before and may still be told, with their devices as they are now. */
  readonly told: readonly (ToldAudience & Pick<AudienceDevices, "devices">)[];
  readonly step: ResolvedStep | null;
  /** Returns the text of a push without a text of its own. */
  readonly getText: (cause: PushCause) => NotificationContent;
  /** The id of the notification that becomes the incident's text; null if the text stays. */
  readonly textNotificationId: string | null;
  readonly keyId: string | null;
  /** Life of a push that does not ring. */
  readonly ttlSeconds: number;
  /** Whether a caller waits for the results. */
  readonly isAwaited: boolean;
}

/** Returns the notifications, feed lines and entries that a decision leads to. */
export function planChange(context: Context, input: PlanInput): ChangePlan {
  return new Planner(context, input).plan();
}

/** The causes of pushes that ring if their incident rings. */
const RINGING_CAUSES: ReadonlySet<PushCause> = new Set(["trigger", "ring", "step", "reminder"]);

/** An audience of a push; `told` is null if the audience is new. */
interface PushAudience extends AudienceDevices {
  readonly told: ToldAudience | null;
}

class Planner {
  readonly #context: Context;
  readonly #input: PlanInput;
  readonly #handovers: ConditionalHandover[] = [];
  readonly #newAudiences: ToldAudience[] = [];
  readonly #feedLines = new Map<string, FeedLine>();
  readonly #entries: PlannedEntry[];
  /** Devices that this change pushes to already, or that an earlier step rings. */
  readonly #coveredIds = new Set<string>();
  #textNotificationId: string | null;

  constructor(context: Context, input: PlanInput) {
    this.#context = context;
    this.#input = input;
    this.#textNotificationId = input.textNotificationId;
    this.#entries = input.decision.entries.map((entry) => ({ ...entry, notificationId: null }));
  }

  plan(): ChangePlan {
    const { decision } = this.#input;
    for (const push of decision.pushes) this.#planPush(push);
    const filedPush = decision.pushes.find(({ isFiled }) => isFiled);
    if (filedPush !== undefined) this.#fileElsewhere(filedPush.cause, this.#getContent(filedPush));
    else if (decision.filedContent !== null) this.#fileElsewhere("update", decision.filedContent);
    return {
      handovers: this.#handovers,
      newAudiences: this.#newAudiences,
      feedLines: [...this.#feedLines.values()],
      entries: this.#entries,
    };
  }

  #planPush(push: IncidentPush): void {
    if (push.to === "step") {
      this.#coverRungDevices();
      this.#recordRinging();
    }
    for (const { audience, devices, told } of this.#listAudiences(push)) {
      const isRound = push.cause === "ring";
      if (isRound && told?.reach !== "rung") continue;
      const freshDevices =
        devices?.filter(({ deviceId }) => !this.#coveredIds.has(deviceId)) ?? null;
      for (const { deviceId } of freshDevices ?? []) this.#coveredIds.add(deviceId);
      const isFiled = this.#mayFile(push, getFeedId(audience));
      const id =
        isFiled || freshDevices === null || freshDevices.length > 0
          ? this.#addNotification({ push, audience, devices: freshDevices, isFiled })
          : null;
      if (told === null) this.#addAudience({ audience, devices }, isFiled ? id : null);
    }
  }

  /**
   * Returns whether a push becomes the line in a feed: a new text in every feed, a step only where the incident has no
   * line yet.
   */
  #mayFile({ isFiled, to }: IncidentPush, feedId: string): boolean {
    if (this.#feedLines.has(feedId)) return false;
    return isFiled || (to !== "reached" && this.#findLine(feedId) === null);
  }

  #findLine(feedId: string): string | null {
    const told = this.#input.told.find(
      ({ audience, feedNotificationId }) =>
        feedNotificationId !== null && getFeedId(audience) === feedId,
    );
    return told?.feedNotificationId ?? null;
  }

  /** Covers the devices that ring already, because a further step does not push to them again. */
  #coverRungDevices(): void {
    for (const { reach, devices } of this.#input.told) {
      if (reach !== "rung") continue;
      for (const { deviceId } of devices ?? []) this.#coveredIds.add(deviceId);
    }
  }

  /** Records in the entry of a step how many of its devices ring already: they get no further push, but still count. */
  #recordRinging(): void {
    const devices = (this.#input.step?.audiences ?? []).flatMap((one) => one.devices ?? []);
    const ringingIds = devices.flatMap(({ deviceId }) =>
      this.#coveredIds.has(deviceId) ? [deviceId] : [],
    );
    const alreadyRinging = new Set(ringingIds).size;
    const index = this.#entries.findIndex(({ kind }) => kind === "step");
    const entry = this.#entries[index];
    if (alreadyRinging === 0 || entry === undefined) return;
    this.#entries[index] = { ...entry, detail: { ...entry.detail, alreadyRinging } };
  }

  #listAudiences({ to }: IncidentPush): readonly PushAudience[] {
    const { told, step } = this.#input;
    if (to === "reached") {
      return told
        .filter(({ reach }) => reach !== "feed")
        .map((one) => ({ audience: one.audience, devices: one.devices, told: one }));
    }
    const isNew = ({ audience }: AudienceDevices) =>
      !told.some((one) => one.reach !== "feed" && isSameAudience(one.audience, audience));
    return (step?.audiences ?? []).filter(isNew).map((one) => ({ ...one, told: null }));
  }

  #addAudience({ audience, devices }: AudienceDevices, feedNotificationId: string | null): void {
    const { incident } = this.#input.decision;
    const reach: AudienceReach = devices === null ? "told" : "rung";
    const step = incident.step === 0 ? null : incident.step;
    const id = this.#context.newId();
    this.#newAudiences.push({ id, audience, step, reach, feedNotificationId });
  }

  /** Files a text in the remaining feeds: of the other audiences that were told, and of the sender's audience. */
  #fileElsewhere(cause: PushCause, content: NotificationContent): void {
    const { decision, told } = this.#input;
    const { audience } = decision.incident;
    const audiences = [...told.map((one) => one.audience), audience];
    const isSenderAudienceNew = ![...told, ...this.#newAudiences].some(
      (one) => getFeedId(one.audience) === getFeedId(audience),
    );
    for (const filedAudience of audiences) {
      if (this.#feedLines.has(getFeedId(filedAudience))) continue;
      const push = { cause, to: "reached", content, isFiled: true } as const;
      const id = this.#addNotification({
        push,
        audience: filedAudience,
        devices: [],
        isFiled: true,
      });
      if (!isSenderAudienceNew || filedAudience !== audience) continue;
      const newId = this.#context.newId();
      this.#newAudiences.push({
        id: newId,
        audience,
        step: null,
        reach: "feed",
        feedNotificationId: id,
      });
    }
  }

  #addNotification(planned: PushedNotification): string {
    const notification = this.#createNotification(planned);
    const { devices, isFiled, audience } = planned;
    const work = toWork(devices);
    const feedId = getFeedId(audience);
    const replacedId = this.#findLine(feedId);
    const { id } = notification;
    if (isFiled) this.#feedLines.set(feedId, { feedId, notificationId: id, replacedId });
    const extraRows = isFiled ? [createFeedEntryRow(notification)] : [];
    // Lane 0 comes before lane 1.
    const lane = work?.kind === "expand" ? BULK_LANE : this.#input.isAwaited ? 0 : 1;
    this.#handovers.push({ request: { notification, lane, work }, extraRows, targets: devices });
    const { cause } = planned.push;
    const deviceCount = devices?.length ?? -1;
    if (work !== null)
      this.#entries.push({
        kind: "push",
        act: null,
        detail: { cause, deviceCount, step: this.#input.decision.incident.step },
        notificationId: id,
      });
    return id;
  }

  #createNotification({ push, audience, devices, isFiled }: PushedNotification): NewNotification {
    const { decision, keyId, ttlSeconds } = this.#input;
    const { incident } = decision;
    const { newId, now } = this.#context;
    const createdAt = now();
    const mayRing = RINGING_CAUSES.has(push.cause);
    const isTooLarge = devices === null;
    const ringsUntil =
      mayRing && isRinging(incident) && !isTooLarge ? getRingsUntil(incident, createdAt) : null;
    const content = this.#getContent(push);
    const textId = isFiled ? this.#textNotificationId : null;
    if (textId !== null) this.#textNotificationId = null;
    return {
      id: textId ?? newId(),
      audience,
      keyId,
      ...content,
      priority: mayRing ? getPushPriority(incident, { isTooLarge }) : content.priority,
      createdAt,
      expiresAt: ringsUntil ?? getPushEnd(incident, createdAt + ttlSeconds * 1_000),
      deviceCount: devices?.length ?? null,
      interaction: createInteraction(incident, push.cause),
    };
  }

  #getContent({ cause, content }: IncidentPush): NotificationContent {
    return pickContent(content ?? this.#input.getText(cause));
  }
}

interface PushedNotification {
  readonly push: IncidentPush;
  readonly audience: Audience;
  /** Null if there are too many to list. */
  readonly devices: readonly Target[] | null;
  readonly isFiled: boolean;
}

function toWork(devices: readonly Target[] | null): Work | null {
  if (devices === null) return { kind: "expand", range: { after: "", upTo: "" } };
  return createDeviceWork(devices.map(({ deviceId }) => deviceId));
}

/** Returns the end of a push that does not ring. An open question is not sent after its end. */
function getPushEnd({ question, closing }: Incident, expiresAt: number): number {
  return question === null || closing !== null
    ? expiresAt
    : Math.min(expiresAt, question.expiresAt);
}
