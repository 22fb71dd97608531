#!/usr/bin/env python3
"""An agent of the Agent Client Protocol that does one thing, well or badly."""

import json
import os
import signal
import sys

BEHAVIOUR = sys.argv[1] if len(sys.argv) > 1 else "good"


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def say(text):
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    send(method="session/update", params={"sessionId": "s-1", "update": update})


def ask(number):
    options = [{"optionId": kind, "kind": kind} for kind in ("allow_once", "reject_once")]
    call = {"toolCallId": "t", "kind": "edit", "title": "Edit a", "locations": [{"path": "a"}]}
    send(id=f"p{number}", method="session/request_permission",
         params={"sessionId": "s-1", "toolCall": call, "options": options})


def finish(number):
    say("<promise>DONE</promise>")
    usage = {"inputTokens": 100, "outputTokens": 10}
    send(id=number, result={"stopReason": "end_turn", "usage": usage})


def work(number):
    if BEHAVIOUR == "dies":
        say("<promise>DONE</promise>")
        os._exit(3)
    if BEHAVIOUR == "silent":
        return
    if BEHAVIOUR == "huge":
        say("x" * 100_000_000)
    if BEHAVIOUR == "garbage":
        sys.stdout.write("warning: {\n[1]\nnull\n\xff{}\n" * 100)
    if BEHAVIOUR == "flood":
        for count in range(20_000):
            ask(count)
    ask(number)


if BEHAVIOUR == "deaf":
    signal.pause()
if BEHAVIOUR == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
prompt = None
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize" and BEHAVIOUR != "mute":
        can = {"loadSession": True}
        send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": can})
    elif method == "session/load" and BEHAVIOUR == "forgets":
        send(id=message["id"], error={"code": -32002, "message": "unknown session"})
    elif method in ("session/new", "session/load"):
        send(id=message["id"], result={"sessionId": "s-1"})
    elif method == "session/prompt":
        prompt = message["id"]
        work(prompt)
    elif method == "session/cancel":
        send(id=prompt, result={"stopReason": "cancelled"})
    elif method is None and message.get("id") == f"p{prompt}":
        if message["result"]["outcome"].get("optionId") == "allow_once":
            with open("a", "a", encoding="utf-8") as file:
                file.write("b\n")
        finish(prompt)
if BEHAVIOUR == "stubborn":
    while True:
        signal.pause()
