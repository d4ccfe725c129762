"""`/mcp` of `spoor serve`, asked by Python's http.client. SPOOR_PROGRAM=build/dev/spoor python3 this-file"""
import json
import threading
import unittest

from client import ENVELOPE, LEGACY, META, MODERN, Place, Web
from server_test import READING, filled


class Served(unittest.TestCase):
    def setUp(self):
        self.place = self.enterContext(Place())
        self.hashes = filled(self.place, 3)
        self.reader = self.place.spoor("serve", "allow", "reader", "--may", "read").strip()
        self.writer = self.place.spoor("serve", "allow", "writer").strip()
        self.web = self.enterContext(Web(self.place))

    def call(self, token, name, modern=True, **arguments):
        status, answer = self.web.ask(token, "tools/call", modern=modern, name=name, arguments=arguments)
        self.assertEqual(status, 200, answer)
        return answer["result"]

    def test_both_revisions(self):
        for modern in (False, True):
            status, answer = self.web.ask(self.reader, "tools/list", modern=modern)
            self.assertEqual((status, [tool["name"] for tool in answer["result"]["tools"]]), (200, READING))
            self.assertEqual("resultType" in answer["result"], modern)
            self.assertIn("Attempt 2", self.call(self.reader, "show", modern, revision=self.hashes[-1])["content"][0]["text"])
        status, answer = self.web.ask(self.reader, "server/discover")
        self.assertEqual(answer["result"]["supportedVersions"], [MODERN, LEGACY])
        status, headers, answer = self.web.post({"jsonrpc": "2.0", "id": "a", "method": "initialize",
                                                 "params": {"protocolVersion": LEGACY}}, self.reader)
        self.assertEqual((status, answer["id"], answer["result"]["protocolVersion"]), (200, "a", LEGACY))
        self.assertEqual((headers["Content-Type"], headers["Mcp-Session-Id"]), ("application/json", None))
        status, _, body = self.web.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, self.reader)
        self.assertEqual((status, body), (202, b""))

    def test_a_token_opens_what_its_right_allows(self):
        for token in (None, "spoor_" + "x" * 43, "", self.reader[:-1]):
            status, headers, _ = self.web.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, token)
            self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"))
        refused = self.call(self.reader, "note", text="x")
        self.assertTrue(refused["isError"])
        self.assertIn("may only read", refused["content"][0]["text"])
        status, answer = self.web.ask(self.writer, "tools/list")
        self.assertEqual([tool["name"] for tool in answer["result"]["tools"]], READING + ["note"])
        made = self.call(self.writer, "note", text="seen over HTTP", about=[self.hashes[0]])["structuredContent"]
        self.assertIn("author    writer", self.call(self.reader, "show", revision=[made["hash"]])["content"][0]["text"])
        self.place.spoor("serve", "revoke", "writer")
        self.assertEqual(self.web.ask(self.writer, "tools/list")[0], 401)

    def test_no_file_of_the_server_is_read(self):
        (self.place.folder / "here.py").write_text("secret = 1\n")
        for arguments in ({"file": "here.py", "line": 1}, {"file": "/etc/passwd", "line": 1}, {"phrase": "here.py:1"},
                          {"phrase": "/etc/passwd:1"}):
            result = self.call(self.reader, "why", **arguments)
            self.assertTrue(result["isError"], arguments)
            self.assertNotIn("secret", result["content"][0]["text"])
            self.assertNotIn("root:", result["content"][0]["text"])

    def test_a_token_with_a_prefix_writes_only_there(self):
        token = self.place.spoor("serve", "allow", "ben", "--prefix", "ben/").strip()
        for arguments in ({}, {"branch": "main"}, {"branch": "be"}):
            self.assertIn("begin with 'ben/'", self.call(token, "note", text="x", **arguments)["content"][0]["text"])
        self.assertEqual(self.call(token, "note", text="x", branch="ben/notes")["structuredContent"]["branch"], "ben/notes")

    def test_pages_of_a_browser_are_refused(self):
        for origin in ("https://evil.example", "null", "http://127.0.0.1", self.web.url):
            self.assertEqual(self.web.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, self.reader, Origin=origin)[0], 403)

    def test_headers_that_differ_from_the_body_are_refused(self):
        read = {"method": "resources/read", "uri": "spoor://main"}
        for changed, params in (({"Mcp_Method": "tools/call"}, {"method": "tools/list"}), ({"Mcp_Method": None}, {"method": "tools/list"}),
                                ({"MCP_Protocol_Version": LEGACY}, {"method": "tools/list"}),
                                ({"MCP_Protocol_Version": None}, {"method": "tools/list"}),
                                ({"Mcp_Name": "diff"}, {"method": "tools/call", "name": "show"}),
                                ({"Mcp_Name": None}, {"method": "tools/call", "name": "show"}),
                                ({"Mcp_Name": "=?base64?!?="}, {"method": "tools/call", "name": "show"}),
                                ({"Mcp_Name": "spoor://other"}, read), ({"Mcp_Name": None}, read)):
            status, answer = self.web.ask(self.reader, changed=changed, **params)
            self.assertEqual((status, answer["error"]["code"]), (400, -32020), changed)
        self.assertEqual(self.web.ask(self.reader, "resources/read", uri="spoor://main")[0], 200)
        status, answer = self.web.ask(self.reader, "resources/read", uri="spoor://mäin")  # Encoded, and not there.
        self.assertEqual((status, answer["error"]["code"]), (400, -32602))

    def test_errors_have_the_status_of_their_code(self):
        self.assertEqual(self.web.ask(self.reader, "nosuch")[0], 404)
        self.assertEqual(self.web.ask(self.reader, "nosuch")[1]["error"]["code"], -32601)
        self.assertEqual(self.web.ask(self.reader, "nosuch", modern=False)[0], 200)  # There 404 would end a session.
        other = {**ENVELOPE, META + "protocolVersion": "2030-01-01"}
        status, answer = self.web.ask(self.reader, "tools/list", changed={"MCP_Protocol_Version": "2030-01-01"}, _meta=other)
        self.assertEqual((status, answer["error"]["code"], answer["error"]["data"]["supported"]), (400, -32022, [MODERN, LEGACY]))
        status, answer = self.web.ask(self.reader, "tools/list", modern=False, changed={"MCP_Protocol_Version": "1999-01-01"})
        self.assertEqual((status, answer["error"]["code"]), (400, -32022))
        status, _, answer = self.web.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, self.reader,
                                          MCP_Protocol_Version=MODERN)
        self.assertEqual((status, answer["error"]["code"]), (400, -32602))
        for body, code in (("{", -32700), ("[]", -32600), ("", -32700), (b"\xff\x00", -32700)):
            status, _, answer = self.web.post(body, self.reader)
            self.assertEqual((status, answer["error"]["code"], answer["id"]), (400, code, None))

    def test_other_requests_are_refused(self):
        for method in ("GET", "DELETE", "PUT"):
            status, headers, _ = self.web.post("", self.reader, method=method)
            self.assertEqual((status, headers["Allow"]), (405, "POST"))
        for kind in ("text/plain", "application/vnd.spoor.sync", ""):
            self.assertEqual(self.web.post("{}", self.reader, Content_Type=kind)[0], 415)
        self.assertEqual(self.web.post("{}", self.reader, Content_Type="Application/JSON; charset=utf-8")[0], 400)
        self.assertEqual(self.web.post(b"x" * (5 << 20), self.reader)[0], 413)

    def test_many_agents_ask_at_once(self):
        problems = []

        def ask(i):
            for _ in range(5):
                text = self.call(self.reader, "search", text=f"Attempt {i % 3} failed")["content"][0]["text"]
                if f"Attempt {i % 3} failed" not in text:
                    problems.append(text)

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def test_a_connection_is_used_again(self):
        import http.client
        connection = http.client.HTTPConnection("127.0.0.1", self.web.port, timeout=20)
        for i in range(3):
            connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": i, "method": "ping"}),
                               {"Content-Type": "application/json", "Authorization": f"Bearer {self.reader}"})
            self.assertEqual(json.loads(connection.getresponse().read())["id"], i)
        connection.close()


if __name__ == "__main__":
    unittest.main()
