"""Requests that a real API accepted are accepted by the server.

The recordings are not ours to ship. Where they are absent this says so, and the test is skipped.
"""
import collections
import json
import pathlib
import sys
import unittest
import urllib.parse

from families import family_of
from recorded import exchanges
from server import Server
from talk import Talk

DATA = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data"
WIRES = (("/messages", "messages"), ("/messages/count_tokens", "messages"), (":countTokens", "gemini"), ("/chat/completions", "chat"),
         ("/responses", "responses"), ("generateContent", "gemini"), ("GenerateContent", "gemini"))
HOSTS = {"api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com", "api.deepseek.com", "api.mistral.ai", "api.z.ai",
         "openrouter.ai", "ollama.com", "localhost"}
SENT = ("anthropic-version", "anthropic-beta")


def requests(is_wanted):
    """Yields (file, wire, path, headers, body, answer) of what the API answered with a wanted status."""
    for path in sorted(DATA.glob("cassettes-*/**/*.yaml")):
        for method, address, headers, body, status, answer in exchanges(path):
            place = urllib.parse.urlsplit(address)
            wire = next((wire for end, wire in WIRES if place.path.endswith(end)), None)
            if method == "POST" and is_wanted(status) and wire and body and place.hostname in HOSTS:
                yield path.name, wire, place, headers, body, answer


def sent(talk, wire, place, headers, body):
    """Sends a recorded request again; returns the answer."""
    keys = {"authorization": "Bearer key", "x-goog-api-key": "key"}
    if wire == "messages":
        keys = {"x-api-key": "key", "anthropic-version": "2023-06-01"}
        if "beta=true" in place.query:
            keys["anthropic-beta"] = "not-recorded"
    path = place.path + (f"?{place.query}" if place.query else "")
    return talk.send(path, body, keys | {one: headers[one] for one in SENT if one in headers})[2]


def model_of(wire, place, body):
    return place.path.rsplit("/", 1)[1].split(":")[0] if wire == "gemini" else json.loads(body).get("model")


class Recordings(unittest.TestCase):
    def test_what_the_apis_accepted_is_accepted(self):
        seen, unknown, refused = collections.Counter(), collections.Counter(), []
        with Server(any_signature=True) as server, Talk(server) as talk:
            for name, wire, place, headers, body, _ in requests(lambda status: 200 <= status < 300):
                model = model_of(wire, place, body)
                if family_of(model, wire) is None:
                    unknown[f"{place.hostname} {model}"] += 1
                    continue
                answer = sent(talk, wire, place, headers, body)
                seen[place.hostname] += 1
                if server.entries()[-1]["verdict"] != "ok":
                    refused.append((name, model, server.entries()[-1]["verdict"], answer[:300].decode()))
        print("accepted:", dict(seen), "without a family:", dict(unknown), file=sys.stderr)
        self.assertFalse(refused, "\n".join(map(str, refused)))
        self.assertGreater(sum(seen.values()), 80)

    def test_what_the_apis_refused_is_refused_in_their_words(self):
        seen = []
        with Server(any_signature=True) as server, Talk(server) as talk:
            for name, wire, place, headers, body, recorded in requests(lambda status: status in (400, 404)):
                model = model_of(wire, place, body)
                if "unsupported_file" in recorded or "deepseek" in name or family_of(model, wire) is None and "exist" not in model:
                    continue  # The file's content, which the server has not; a model that it does not know.
                error = json.loads(sent(talk, wire, place, headers, body))["error"]
                self.assertIn("".join(error["message"].split()), "".join(recorded.replace("\\n", "").split()).replace("''", "'"), name)
                seen.append((name, server.entries()[-1]["verdict"]))
        print("refused:", seen, file=sys.stderr)
        self.assertEqual(sorted(rule for _, rule in seen), ["gemini.model", "messages.model", "responses.reasoning_alone"])


if __name__ == "__main__":
    if not list(DATA.glob("cassettes-*")):
        print(f"skipped: no recordings at {DATA}")
        sys.exit(0)
    unittest.main()
