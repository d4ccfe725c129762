"""An agent that asks over a WebSocket, in a few lines: `socket_agent.py TURNS [--packed] [--leave]`. Prints what it was
answered, and a digest of each message."""
import base64
import hashlib
import json
import os
import socket
import struct
import sys
import urllib.parse
import zlib

from agent_key import KEY

turns, packed = int(sys.argv[1]), "--packed" in sys.argv
address = urllib.parse.urlparse(os.environ["OPENAI_BASE_URL"])
connection = socket.create_connection((address.hostname, address.port))
reading = connection.makefile("rb")
key = base64.b64encode(os.urandom(16)).decode()
offer = "sec-websocket-extensions: permessage-deflate\r\n" if packed else ""
connection.sendall(f"GET {address.path}/responses HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: Upgrade\r\n"
                   f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{offer}"
                   f"Authorization: Bearer {KEY}\r\nsession-id: a-session\r\nuser-agent: an-agent/1\r\n\r\n".encode())
head = b""
while not head.endswith(b"\r\n\r\n"):
    head += reading.readline()
assert head.startswith(b"HTTP/1.1 101"), head
deflater, inflater = zlib.compressobj(wbits=-15), zlib.decompressobj(-15)


def frame(kind, body, flags):
    mask = os.urandom(4)
    size = bytes([128 | len(body)]) if len(body) < 126 else (
        struct.pack("!BH", 254, len(body)) if len(body) < 65536 else struct.pack("!BQ", 255, len(body)))
    connection.sendall(bytes([flags | kind]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body)))


def say(text):
    """In three frames, with a ping between them."""
    body, flags = text.encode(), 0
    if packed:
        body, flags = (deflater.compress(body) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4], 64
    third = len(body) // 3
    frame(1, body[:third], flags)
    frame(9, b"are you there", 128)
    frame(0, body[third:2 * third], 0)
    frame(0, body[2 * third:], 128)


def hear():
    while True:
        first, second = reading.read(2)
        size = second & 127
        if size >= 126:
            size = struct.unpack("!H" if size == 126 else "!Q", reading.read(2 if size == 126 else 8))[0]
        body = reading.read(size)
        if first & 15 == 1:
            return inflater.decompress(body + b"\0\0\xff\xff") if first & 64 else body


request = {"type": "response.create", "model": "gpt-5", "instructions": "Be careful. " * 3000,
           "tools": [{"type": "function", "name": "exec_command", "parameters": {"type": "object"}}],
           "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "look around"}]}]}
for _ in range(turns):
    say(json.dumps(request))
    if "--leave" in sys.argv:
        hear()
        os._exit(7)
    messages = [hear()]
    while json.loads(messages[-1])["type"] != "response.completed":
        messages.append(hear())
    print(hashlib.sha256(b"".join(each + b"\n" for each in messages)).hexdigest())
    response = json.loads(messages[-1])["response"]
    request["previous_response_id"] = response["id"]
    request["input"] = [{"type": "function_call_output", "call_id": item["call_id"], "output": "done"}
                        for item in response["output"] if item["type"] == "function_call"]
    if not request["input"]:
        print(response["output"][-1]["content"][0]["text"])
        break
frame(8, b"", 128)
sys.exit(7)
