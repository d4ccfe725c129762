"""Asks `spoor mcp` with the official Python SDK: official_client.py PROGRAM|URL HASH [TOKEN]. Prints what it was told, as
JSON. Version 1 of the SDK speaks revision 2025-11-25, version 2 also 2026-07-28."""
import asyncio
import json
import os
import sys

WHERE, HASH, TOKEN = sys.argv[1], sys.argv[2], (sys.argv[3:] or [""])[0]


async def ask(session, revision):
    tools = (await session.list_tools()).tools
    called = await session.call_tool("search", {"text": "pin broke", "max_tokens": 500})
    failed = await session.call_tool("search", {"colour": "red"})
    read = await session.read_resource("spoor://" + HASH)
    listed = await session.list_resources()
    templates = await session.list_resource_templates()
    schema = getattr(tools[0], "input_schema", None) or tools[0].inputSchema
    templates = getattr(templates, "resource_templates", None) or templates.resourceTemplates
    error = failed.is_error if hasattr(failed, "is_error") else failed.isError
    print(json.dumps({"revision": revision, "tools": [tool.name for tool in tools], "required": schema["required"],
                      "found": called.content[0].text, "failed": error, "why": failed.content[0].text,
                      "read": read.contents[0].text, "resources": [str(each.uri) for each in listed.resources],
                      "templates": len(templates)}))


async def version_1():
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    async def talk(streams):
        async with ClientSession(*streams) as session:
            begun = await session.initialize()
            await session.send_ping()
            await ask(session, begun.protocolVersion)

    if TOKEN:
        async with streamablehttp_client(WHERE, {"Authorization": f"Bearer {TOKEN}"}) as (read, write, _):
            await talk((read, write))
    else:
        async with stdio_client(StdioServerParameters(command=WHERE, args=["mcp"], env=dict(os.environ))) as streams:
            await talk(streams)


async def version_2():
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if TOKEN:
        web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"})
        transport = streamable_http_client(WHERE, http_client=web)
    else:
        transport = stdio_client(StdioServerParameters(command=WHERE, args=["mcp"], env=dict(os.environ)))
    async with Client(transport) as client:
        await ask(client, client.protocol_version)


try:
    from mcp import Client  # noqa: F401
    asyncio.run(version_2())
except ImportError:
    asyncio.run(version_1())
