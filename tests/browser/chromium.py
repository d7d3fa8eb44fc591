"""A headless Chromium, driven by the DevTools protocol over pipes; nothing but the standard library is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome"]

# What no page here should make a browser wait for.
PATIENCE = 60


class Chromium:
    """One tab, and everything that it tells: requests, dialogs, errors."""

    def __init__(self):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise SystemExit(f"there is no browser: none of {', '.join(NAMES)} is on the PATH")
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()

        def wire():
            # The protocol is spoken on 3 and 4; copies above keep them from overwriting each other.
            ours = [os.dup(to_read), os.dup(to_write)]
            high = [os.dup2(end, 100 + at) for at, end in enumerate(ours)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             f"--user-data-dir={self.home.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.number, self.events, self.session = b"", 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.ask(domain + ".enable")

    def ask(self, method, **params):
        """Sends a command and gives its answer; what is told meanwhile is kept in `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while True:
            told = self.hear(end)
            if told.get("id") == self.number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return told["result"]

    def hear(self, end):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.of], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.of, 1 << 20)
            if not part:
                raise RuntimeError("the browser is gone")
            self.rest += part
        one, self.rest = self.rest.split(b"\0", 1)
        told = json.loads(one)
        if "method" in told:
            self.events.append(told)
            if told["method"] == "Page.javascriptDialogOpening":
                # Else the page would wait for ever; that there was one stays known.
                self.number += 1
                message = {"id": self.number, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
                os.write(self.to, json.dumps({**message, "sessionId": self.session}).encode() + b"\0")
        return told

    def told(self, method):
        return [event["params"] for event in self.events if event["method"] == method]

    def open(self, url):
        """Goes to a page and gives the seconds until it was loaded and its script had run."""
        self.events.clear()
        began = time.monotonic()
        self.ask("Page.navigate", url=url)
        end = began + PATIENCE
        while not self.told("Page.loadEventFired"):
            self.hear(end)
        return time.monotonic() - began

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, script, what):
        """Waits until an expression holds."""
        end = time.monotonic() + PATIENCE
        while not (value := self.run(script)):
            assert time.monotonic() < end, f"{what} did not happen"
            time.sleep(0.05)
        return value

    def key(self, key):
        """Presses a key, as a person would."""
        codes = {"Escape": 27, "Enter": 13, "ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35, "Tab": 9}
        text = {"text": key} if len(key) == 1 else {}
        code = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        for kind in ["keyDown", "keyUp"]:
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **code, **(text if kind == "keyDown" else {}))

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def look(self, dark=False, width=1280, height=900):
        """Sets what the reader prefers, and the window's size."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=scheme)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def shoot(self, path):
        picture = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))

    def close(self):
        self.session = None
        try:
            self.ask("Browser.close")
        except (RuntimeError, OSError):
            self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self.to)
        os.close(self.of)
        self.home.cleanup()
