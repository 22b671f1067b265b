"""A desktop's notification daemon (Desktop Notifications Specification 1.2) on the session bus.

Prints one JSON line per call, and presses a button per input line: a JSON object with the id of the notification, the
label of the button, or null for the notification itself, and the text that the person enters, or null.
"""

import json
import sys
import threading

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
CLOSED_BY_CALL = 3
# The action of the notification itself, and the one that takes a text, which is an extension of KDE's.
DEFAULT_KEY = "default"
REPLY_KEY = "inline-reply"


def report(event):
    print(json.dumps(event), flush=True)


class NotificationDaemon(dbus.service.Object):
    def __init__(self, bus):
        super().__init__(bus, PATH)
        self.last_id = 0
        self.keys = {}

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, title, body, actions, hints, timeout):
        if replaces == 0:
            self.last_id += 1
        shown = int(replaces) or self.last_id
        labels = [str(label) for label in actions[1::2]]
        self.keys[shown] = dict(zip(labels, (str(key) for key in actions[0::2])))
        report({"id": shown, "title": str(title), "body": str(body), "buttons": labels})
        return dbus.UInt32(shown)

    @dbus.service.method(NAME, in_signature="u", out_signature="")
    def CloseNotification(self, shown):
        self.keys.pop(int(shown), None)
        self.NotificationClosed(shown, CLOSED_BY_CALL)

    @dbus.service.method(NAME, in_signature="", out_signature="as")
    def GetCapabilities(self):
        return ["actions", "body", REPLY_KEY, "persistence"]

    @dbus.service.method(NAME, in_signature="", out_signature="ssss")
    def GetServerInformation(self):
        return ("notification-daemon", "Tocsin", "1", "1.2")

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, shown, key):
        pass

    @dbus.service.signal(NAME, signature="us")
    def NotificationReplied(self, shown, text):
        pass

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, shown, reason):
        pass

    def press(self, shown, label, reply):
        key = DEFAULT_KEY if label is None else self.keys[shown][label]
        if reply is None:
            self.ActionInvoked(shown, key)
        elif key == REPLY_KEY:
            self.NotificationReplied(shown, reply)


def read_presses(daemon):
    for line in sys.stdin:
        press = json.loads(line)
        GLib.idle_add(daemon.press, press["id"], press["button"], press["reply"])


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
bus_name = dbus.service.BusName(NAME, bus)
daemon = NotificationDaemon(bus)
threading.Thread(target=read_presses, args=(daemon,), daemon=True).start()
report({"ready": True})
GLib.MainLoop().run()
