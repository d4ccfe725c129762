// Asks `spoor mcp` with the official TypeScript SDK: official_client.mjs VERSION PROGRAM|URL HASH [TOKEN]. Version 1 (package
// `sdk`) speaks revision 2025-11-25, version 2 (package `client`) 2026-07-28. SPOOR_MCP_NODE is the folder that has
// `node_modules`. Prints what it was told, as JSON.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [version, where, hash, token] = process.argv.slice(2);
const resolve = createRequire(pathToFileURL(process.env.SPOOR_MCP_NODE + "/package.json")).resolve;
const load = (name) => import(pathToFileURL(resolve("@modelcontextprotocol/" + name)));
const [main, stdio, http] =
  version === "1"
    ? await Promise.all([load("sdk/client/index.js"), load("sdk/client/stdio.js"), load("sdk/client/streamableHttp.js")])
    : await Promise.all([load("client"), load("client/stdio"), load("client")]);

const options = version === "1" ? {} : { versionNegotiation: { mode: "auto" } };
const client = new main.Client({ name: "test", version: "1" }, options);
const transport = token
  ? new http.StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
  : new stdio.StdioClientTransport({ command: where, args: ["mcp"], env: process.env });
await client.connect(transport);
const { tools } = await client.listTools();
const found = await client.callTool({ name: "search", arguments: { text: "pin broke", max_tokens: 500 } });
const failed = await client.callTool({ name: "search", arguments: { colour: "red" } });
const read = await client.readResource({ uri: "spoor://" + hash });
const { resources } = await client.listResources();
const { resourceTemplates } = await client.listResourceTemplates();
const revision = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? "2025-11-25";
await client.close();
console.log(JSON.stringify({
  revision, tools: tools.map((tool) => tool.name), required: tools[0].inputSchema.required, found: found.content[0].text,
  failed: failed.isError, why: failed.content[0].text, read: read.contents[0].text,
  resources: resources.map((each) => each.uri), templates: resourceTemplates.length,
}));
