"""The server: its answers, faults, log, lengths, caches and signatures."""
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from talk import CHAT, FUNCTION, MESSAGES, SAID, STEP, TOOL, ServedCase, events_of

HERE = pathlib.Path(__file__).resolve().parent


class Answers(ServedCase):
    def test_an_answer_is_cut_at_the_limit_of_the_request(self):
        long = {"answer": {"text": "word " * 100}}
        talk = self.served(long, long)
        answer = talk.ask("/v1/messages", {**MESSAGES, "max_tokens": 10})[1]
        self.assertEqual((answer["stop_reason"], len(answer["content"][0]["text"])), ("max_tokens", 40))
        answer = talk.ask("/v1/chat/completions", {**CHAT, "max_completion_tokens": 10})[1]
        self.assertEqual(answer["choices"][0]["finish_reason"], "length")

    def test_reasons_have_the_words_of_each_api(self):
        for stop, messages, chat in (("end", "end_turn", "stop"), ("max_tokens", "max_tokens", "length"),
                                     ("refusal", "refusal", "stop"), ("content_filter", "refusal", "content_filter"),
                                     ("pause_turn", "pause_turn", "pause_turn"),
                                     ("context", "model_context_window_exceeded", "length")):
            step = {"answer": {"text": "a", "stop": stop}}
            talk = self.served(step, step)
            self.assertEqual(talk.ask("/v1/messages", MESSAGES)[1]["stop_reason"], messages)
            self.assertEqual(talk.ask("/v1/chat/completions", CHAT)[1]["choices"][0]["finish_reason"], chat)

    def test_steps_are_taken_in_order_and_not_by_refused_requests(self):
        talk = self.served({"answer": {"text": "one"}}, {"answer": {"text": "two"}}, otherwise={"answer": {"text": "more"}})
        said = []
        for limit in (1000, 10**9, 1000, 1000, 1000):
            answer = talk.ask("/v1/messages", {**MESSAGES, "max_tokens": limit})[1]
            said.append(answer["content"][0]["text"] if "content" in answer else answer["type"])
        self.assertEqual(said, ["one", "error", "two", "more", "more"])

    def test_models_are_listed(self):
        talk = self.served()
        headers = {"x-api-key": "key", "anthropic-version": "2023-06-01"}
        listed = json.loads(talk.send("/v1/models", headers=headers)[2])
        self.assertIn("claude-opus-5-5", [one["id"] for one in listed["data"]])
        one = json.loads(talk.send("/v1/models/claude-opus-5-5", headers=headers)[2])
        self.assertEqual((one["max_input_tokens"], one["max_tokens"]), (1000000, 128000))
        self.assertFalse(one["capabilities"]["thinking"]["types"]["enabled"]["supported"])
        self.assertEqual(talk.send("/v1/models/gpt-9")[0], 404)
        self.assertIn("gpt-5.2", [one["id"] for one in json.loads(talk.send("/v1/models")[2])["data"]])


class Faults(ServedCase):
    def test_a_status_has_the_headers_and_the_body_of_the_api(self):
        talk = self.served({"fault": {"status": 429}}, {"fault": {"status": 529}}, {"fault": {"status": 429}},
                           {"fault": {"status": 503, "headers": {"retry-after": "7"}, "body": {"own": 1}}})
        status, headers, data = talk.send("/v1/messages", MESSAGES)
        self.assertEqual((status, headers["retry-after"], headers["x-should-retry"], json.loads(data)["error"]["type"]),
                         (429, "1", "true", "rate_limit_error"))
        status, _, data = talk.send("/v1/messages", MESSAGES)
        self.assertEqual((status, json.loads(data)["error"]), (529, {"type": "overloaded_error", "message": "Overloaded"}))
        status, headers, data = talk.send("/v1/chat/completions", CHAT)
        self.assertEqual((status, json.loads(data)["error"]["code"]), (429, "rate_limit_exceeded"))
        status, headers, data = talk.send("/v1/chat/completions", CHAT)
        self.assertEqual((status, headers["retry-after"], json.loads(data)), (503, "7", {"own": 1}))

    def test_streams_are_cut(self):
        for path, body in (("/v1/messages", MESSAGES), ("/v1/chat/completions", CHAT)):
            whole = self.served(STEP).send(path, {**body, "stream": True})[2]
            for fault, size in (({"cut_after": 100}, 100), ({"cut_after": 0}, 0), ({"cut_in_event": 2}, None)):
                talk = self.served({**STEP, "fault": fault})
                with self.assertRaises(http.client.IncompleteRead) as caught:
                    talk.send(path, {**body, "stream": True})
                read = caught.exception.partial
                self.assertTrue(0 <= len(read) < len(whole) and (size is None or len(read) == size), (fault, len(read)))
                self.assertFalse(read.endswith(b"\n\n"))

    def test_an_answer_is_cut(self):
        talk = self.served({**STEP, "fault": {"cut_after": 20}})
        with self.assertRaises(http.client.IncompleteRead) as caught:
            talk.send("/v1/messages", MESSAGES)
        self.assertEqual(len(caught.exception.partial), 20)

    def test_the_connection_ends_before_the_headers(self):
        talk = self.served({"fault": "close"})
        with self.assertRaises(http.client.RemoteDisconnected):
            talk.send("/v1/messages", MESSAGES)
        self.assertEqual(talk.server.entries()[-1]["answer"], "closed")

    def test_an_error_within_a_stream(self):
        talk = self.served({**STEP, "fault": {"error_event": 529, "after": 3}}, {**STEP, "fault": {"error_event": 500}})
        events = events_of(talk.send("/v1/messages", {**MESSAGES, "stream": True})[2])
        self.assertEqual((len(events), events[-1][0], events[-1][1]["error"]["type"]), (4, "error", "overloaded_error"))
        events = events_of(talk.send("/v1/chat/completions", {**CHAT, "stream": True})[2])
        self.assertEqual(events[-1][1]["error"]["type"], "server_error")

    def test_empty_silent_and_too_long(self):
        talk = self.served({**STEP, "fault": "empty"}, {**STEP, "fault": {"silence": 0.2}},
                           {**STEP, "fault": {"silence": 0.2, "after": 2}}, {"fault": "too_long"}, {"fault": "too_long"})
        self.assertEqual(talk.ask("/v1/messages", MESSAGES)[1]["content"], [])
        for body in (MESSAGES, {**MESSAGES, "stream": True}):
            begun = time.monotonic()
            talk.send("/v1/messages", body)
            self.assertGreater(time.monotonic() - begun, 0.19)
        self.assertEqual(talk.ask("/v1/messages", MESSAGES)[1]["error"]["message"],
                         "prompt is too long: 1000001 tokens > 1000000 maximum")
        self.assertEqual(talk.ask("/v1/chat/completions", CHAT)[1]["error"]["code"], "context_length_exceeded")


class Lengths(ServedCase):
    def test_a_window_is_the_families_or_the_scripts(self):
        talk = self.served(window=100)
        long = [{"role": "user", "content": "x" * 600}]
        self.assertEqual(talk.ask("/v1/messages", {**MESSAGES, "messages": long})[1]["error"]["message"],
                         "prompt is too long: 160 tokens > 100 maximum")
        self.assertEqual(talk.ask("/v1/chat/completions", {**CHAT, "messages": long})[1]["error"]["code"], "context_length_exceeded")
        old = {**MESSAGES, "model": "claude-opus-4-1", "thinking": {"type": "disabled"}}
        self.assertEqual(talk.ask("/v1/messages", {**old, "max_tokens": 80})[0], 200)
        answer = talk.ask("/v1/messages", {**old, "max_tokens": 99})[1]
        self.assertIn("exceed context limit", answer["error"]["message"])

    def test_marks_are_read_from_the_cache(self):
        mark = {"cache_control": {"type": "ephemeral"}}
        system = [{"type": "text", "text": "s" * 20000, **mark}]

        def usage(*texts, marked=True):
            content = [{"type": "text", "text": text} for text in texts]
            content[-1] |= mark if marked else {}
            made = talk.ask("/v1/messages", {**MESSAGES, "system": system, "messages": [{"role": "user", "content": content}]})[1]
            return [made["usage"][name] for name in ("cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens")]

        talk = self.served()
        read, written, rest = usage("a" * 8000)
        self.assertEqual((read, rest), (0, 0))
        self.assertGreater(written, 7000)
        again = usage("a" * 8000, "b" * 4000)
        self.assertEqual(again[0], written)
        other = usage("c" * 8000)
        self.assertTrue(5000 < other[0] < 5100, other)  # The system prompt alone.
        self.assertEqual(talk.server.entries()[-1]["kept"] < talk.server.entries()[-1]["prompt"], True)

    def test_a_short_prefix_is_not_cached(self):
        talk = self.served()
        content = [{"type": "text", "text": "a" * 2000, "cache_control": {"type": "ephemeral"}}]
        for _ in range(2):
            made = talk.ask("/v1/messages", {**MESSAGES, "messages": [{"role": "user", "content": content}]})[1]
            self.assertEqual((made["usage"]["cache_read_input_tokens"], made["usage"]["cache_creation_input_tokens"]), (0, 0))

    def test_chat_caches_by_itself_in_steps(self):
        talk = self.served()
        messages = [{"role": "system", "content": "s" * 8000}, *SAID]
        cached = [talk.ask("/v1/chat/completions", {**CHAT, "messages": each})[1]["usage"]["prompt_tokens_details"]["cached_tokens"]
                  for each in (messages, messages + [{"role": "assistant", "content": "b"}, *SAID], [{"role": "user", "content": "z" * 8000}])]
        self.assertEqual((cached[0], cached[1] % 128, cached[2]), (0, 0, 0))
        self.assertGreater(cached[1], 1900)


class Signatures(ServedCase):
    def loop(self, model, change=None, **more):
        """Returns the rule that the second request of a loop of tools meets."""
        talk = self.served(STEP)
        thinking = {"type": "enabled", "budget_tokens": 1024} if model == "claude-sonnet-4-5" else {"type": "adaptive"}
        body = {"model": model, "max_tokens": 4000, "messages": SAID, "tools": [TOOL], "system": "Be brief.",
                "thinking": {**thinking, "display": "summarized"}, **more}
        content = talk.ask("/v1/messages", body)[1]["content"]
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": content[-1]["id"], "content": "x"}]}
        body = {**body, "messages": [*SAID, {"role": "assistant", "content": content}, result]}
        if change:
            change(body, content)
        return talk.verdict("/v1/messages", body)

    def test_thinking_comes_back_as_it_was(self):
        def other_text(_, content):
            content[0]["thinking"] += "!"

        def other_signature(_, content):
            content[0]["signature"] = content[0]["signature"][:-8] + "AAAAAAA="

        def no_signature(_, content):
            del content[0]["signature"]

        def no_thinking(_, content):
            del content[0]

        def earlier(body, content):
            other_text(body, content)
            body["messages"] += [{"role": "assistant", "content": "b"}, *SAID]

        for model in ("claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-5-5"):
            self.assertEqual(self.loop(model), "ok")
            self.assertEqual(self.loop(model, other_text), "messages.thinking_changed")
            self.assertEqual(self.loop(model, earlier), "messages.signature")
            self.assertEqual(self.loop(model, other_signature), "messages.signature")
            self.assertEqual(self.loop(model, no_signature), "messages.required")
        self.assertEqual(self.loop("claude-sonnet-4-5", no_thinking), "messages.thinking_first")
        self.assertEqual(self.loop("claude-sonnet-4-6", no_thinking), "ok")

    def test_thinking_is_bound_to_what_came_before(self):
        def system(body, _):
            body["system"] = "Be very brief."

        def tools(body, _):
            body["tools"] = [*body["tools"], {**TOOL, "name": "other"}]

        def marks(body, _):
            body["system"] = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]

        def first(body, _):
            body["messages"][0] = {"role": "user", "content": "Hello?"}

        def drop(body, _):
            system(body, _)
            body["thinking"] = {**body["thinking"], "block_binding": {"prefix_mismatch_behavior": "drop_block"}}

        for change in (system, tools, first):
            self.assertEqual(self.loop("claude-opus-5-5", change), "messages.bound")
            self.assertEqual(self.loop("claude-opus-5", change), "ok")
        self.assertEqual(self.loop("claude-opus-5-5", marks), "ok")
        self.assertEqual(self.loop("claude-opus-5-5", drop), "ok")


class Log(ServedCase):
    def test_a_line_a_request_and_no_key(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log.jsonl"
            talk = self.served(STEP, log=log, key="secret")
            talk.send("/v1/messages", MESSAGES, {"x-api-key": "secret", "anthropic-version": "2023-06-01"})
            talk.send("/v1/messages", MESSAGES, {"x-api-key": "wrong", "anthropic-version": "2023-06-01"})
            text = log.read_text()
            self.assertNotIn("secret", text)
            one, other = map(json.loads, text.splitlines())
            self.assertEqual((one["verdict"], one["path"], one["model"], one["family"], one["body"], one["status"]),
                             ("ok", "/v1/messages", MESSAGES["model"], "anthropic/sonnet-4.6", MESSAGES, 200))
            self.assertEqual((other["verdict"], other["status"]), ("messages.key_wrong", 401))

    def test_a_connection_is_kept_and_bodies_may_be_chunked(self):
        talk = self.served(STEP, STEP)
        talk.send("/v1/messages", {**MESSAGES, "stream": True})
        socket = talk.connection.sock
        data = json.dumps(MESSAGES).encode()
        talk.connection.request("POST", "/v1/messages", iter([data[:9], data[9:]]), {
            "x-api-key": "key", "anthropic-version": "2023-06-01", "transfer-encoding": "chunked"}, encode_chunked=True)
        self.assertEqual(talk.connection.getresponse().status, 200)
        self.assertIs(talk.connection.sock, socket)

    def test_a_program_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "script.json"
            script.write_text(json.dumps({"steps": [{"answer": {"text": "from a file"}}], "window": 5000}))
            process = subprocess.Popen([sys.executable, HERE / "server.py", "--script", script], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            address = process.stdout.readline().strip()
            connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
            connection.request("POST", "/v1/messages", json.dumps(MESSAGES), {"x-api-key": "k", "anthropic-version": "2023-06-01"})
            self.assertIn(b"from a file", connection.getresponse().read())
            connection.close()
            process.communicate("")
            self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
