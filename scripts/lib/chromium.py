"""A real browser, driven through its own protocol: pages are looked at, clicked and typed into.

What is pressed here goes the way of a person's mouse and keyboard; nothing is added to the page.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

TIMEOUT = 60.0  # seconds, on the busiest machine; what takes longer hangs
LOOK_EVERY = 0.02
KEY_CODES = {"Enter": 13, "Escape": 27, "Home": 36, "End": 35, "Tab": 9, " ": 32,
             "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}  # fmt: skip


def find_browser() -> str | None:
    return shutil.which("chromium") or shutil.which("google-chrome")


class Browser:
    """Chromium without a window. Messages go through a pipe, one JSON object after another."""

    def __init__(self) -> None:
        program = find_browser()
        if program is None:
            raise FileNotFoundError("there is no Chromium")
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()
        # It reads from 3 and writes to 4.
        redirect = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", redirect, program, "--headless", "--no-sandbox", "--disable-gpu",
             "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-default-apps",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
             f"--user-data-dir={self.home.name}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.numbers = itertools.count(1)
        self.tabs: dict[str, Tab] = {}

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):
            self.ask("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.writing)
        os.close(self.reading)
        self.home.cleanup()

    def ask(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        number = next(self.numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self.read(deadline, method)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            tab = self.tabs.get(answer.get("sessionId", ""))
            if tab is not None:
                tab.hear(answer)

    def read(self, deadline: float, method: str) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.reading], [], [], left)[0]:
                raise TimeoutError(f"the browser does not answer {method}")
            data = os.read(self.reading, 1 << 20)
            if not data:
                raise OSError("the browser has ended")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return dict(json.loads(text))

    def open(self, url: str, width: int = 1200, height: int = 900) -> Tab:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, target, session)
        self.tabs[session] = tab
        for domain in ("Page", "Runtime", "Log"):
            tab.ask(f"{domain}.enable")
        tab.resize(width, height)
        tab.go(url)
        return tab


class Tab:
    """One page; what it complains about is kept."""

    def __init__(self, browser: Browser, target: str, session: str) -> None:
        self.browser = browser
        self.target = target
        self.session = session
        self.complaints: list[str] = []

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.ask(method, self.session, **parameters)

    def hear(self, event: dict[str, Any]) -> None:
        about = event.get("params", {})
        if event["method"] == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.complaints.append(details.get("exception", details).get("description", "?"))
        elif event["method"] == "Runtime.consoleAPICalled" and about["type"] == "error":
            self.complaints.append(str(about["args"]))
        elif event["method"] == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.complaints.append(about["entry"]["text"])

    def close(self) -> None:
        self.browser.ask("Target.closeTarget", targetId=self.target)

    def go(self, url: str) -> None:
        self.ask("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def reload(self) -> None:
        self.run("window.isOld = true")
        self.ask("Page.reload")
        self.wait("document.readyState === 'complete' && !window.isOld")

    def resize(self, width: int, height: int, *, is_phone: bool = False) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=is_phone)  # fmt: skip
        self.ask("Emulation.setTouchEmulationEnabled", enabled=is_phone)

    def choose_scheme(self, scheme: str) -> None:
        """Light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def run(self, script: str) -> Any:
        """The value of an expression in the page, waited for if it is a promise."""
        answer = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = TIMEOUT) -> None:
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(RuntimeError):  # between two pages there is none
                if self.run(condition):
                    return
            if time.monotonic() > deadline:
                raise TimeoutError(f"it never came to {condition}; {self.complaints}")
            time.sleep(LOOK_EVERY)

    def text(self, selector: str) -> str:
        return str(self.run(f"document.querySelector({json.dumps(selector)}).textContent"))

    # ---- a person's hands

    def place(self, selector: str) -> tuple[float, float]:
        """The middle of an element, scrolled into sight."""
        script = f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{ block: "nearest", behavior: "instant" }});
            const box = element.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        }})()"""
        x, y = self.run(script)
        return x, y

    def mouse(self, kind: str, x: float, y: float) -> None:
        held = 0 if kind == "mouseReleased" else 1
        button = {"button": "left", "buttons": held, "clickCount": 1}
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def press(self, x: float, y: float) -> None:
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def click(self, selector: str) -> None:
        self.press(*self.place(selector))

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.mouse("mousePressed", *start)
        for part in (0.3, 0.7, 1.0):
            x, y = (a + part * (b - a) for a, b in zip(start, end, strict=True))
            self.mouse("mouseMoved", x, y)
        self.mouse("mouseReleased", *end)

    def touch_drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """By a finger."""
        steps = [("touchStart", start), ("touchMove", end), ("touchMove", end)]
        for kind, (x, y) in steps:
            self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, name: str) -> None:
        code = {"windowsVirtualKeyCode": KEY_CODES.get(name, ord(name[0].upper()))}
        text = (
            {"text": "\r" if name == "Enter" else name} if len(name) == 1 or name == "Enter" else {}
        )
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=name, **code, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=name, **code)

    def type(self, selector: str, text: str) -> None:
        self.click(selector)
        self.run(f"document.querySelector({json.dumps(selector)}).select()")
        self.ask("Input.insertText", text=text)

    def choose(self, selector: str, value: str) -> None:
        """An entry of a list."""
        self.run(f"""(() => {{
            const list = document.querySelector({json.dumps(selector)});
            list.value = {json.dumps(value)};
            list.dispatchEvent(new Event("change", {{ bubbles: true }}));
        }})()""")

    def take_picture(self, path: Path) -> None:
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
