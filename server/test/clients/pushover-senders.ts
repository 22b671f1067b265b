import type { TestRequest } from "../contract/http-requests.ts";

/** The credentials of a program that sends to Pushover. */
export interface PushoverCredentials {
  readonly token: string;
  readonly user: string;
}

/** A program that sends to Pushover: its request, as in its source code, and the notification that arrives. */
interface PushoverSender {
  readonly program: string;
  /** The repository and the file that makes the request. */
  readonly source: string;
  readonly createRequest: (credentials: PushoverCredentials) => TestRequest;
  readonly expected: Readonly<Record<"title" | "body" | "priority", string>> & {
    readonly link?: string;
  };
}

const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

function createForm(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

/** Programs that have the address of Pushover in their code, so that none of them can be run against another server. */
export const PUSHOVER_SENDERS: readonly PushoverSender[] = [
  {
    program: "Uptime Kuma",
    source: "louislam/uptime-kuma: server/notification-providers/pushover.js",
    createRequest: ({ token, user }) => ({
      path: "/1/messages.json",
      headers: { accept: "application/json, text/plain, */*" },
      body: {
        message: "[web] [\u{1f534} Down] timeout of 48000ms\n<b>Time (UTC)</b>:2026-11-28 20:00:00",
        user,
        token,
        sound: "pushover",
        priority: "2",
        title: "Uptime-Kuma",
        retry: "30",
        expire: "3600",
        html: 1,
      },
    }),
    expected: {
      title: "Uptime-Kuma",
      body: "[web] [\u{1f534} Down] timeout of 48000ms\nTime (UTC):2026-11-28 20:00:00",
      priority: "emergency",
    },
  },
  {
    program: "Apprise",
    source: "caronc/apprise: apprise/plugins/pushover.py",
    createRequest: ({ token, user }) => ({
      path: "/1/messages.json",
      headers: { ...FORM_TYPE, "user-agent": "Apprise" },
      body: createForm({
        token,
        priority: "0",
        title: "Disk ü",
        message: "97 %",
        sound: "pushover",
        url: "https://a.example/disk",
        url_title: "Disk",
        user,
        device: "ALL_DEVICES",
      }),
    }),
    expected: {
      title: "Disk ü",
      body: "97 %",
      priority: "normal",
      link: "https://a.example/disk",
    },
  },
  {
    program: "Alertmanager",
    source: "prometheus/alertmanager: notify/pushover/pushover.go",
    createRequest: ({ token, user }) => ({
      path: `/1/messages.json?${createForm({
        token,
        user,
        title: "[FIRING:1] HighLoad",
        message: "<b>load</b> &gt; 9",
        html: "1",
        url: "",
        url_title: "",
        priority: "1",
        retry: "60",
        expire: "3600",
        device: "",
        sound: "",
        ttl: "7200",
      })}`,
      headers: { "content-type": "text/plain", "user-agent": "Alertmanager/0.28.0" },
    }),
    expected: { title: "[FIRING:1] HighLoad", body: "load > 9", priority: "high" },
  },
];
