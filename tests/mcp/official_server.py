"""A server written with the official Python SDK: official_server.py [http PORT]."""
import sys

try:
    from mcp.server.mcpserver import Context, Image, MCPServer  # Version 2, from revision 2026-07-28 on.
except ImportError:
    from mcp.server.fastmcp import Context, FastMCP as MCPServer, Image
from mcp.types import ToolAnnotations

server = MCPServer("official")
reads = ToolAnnotations(readOnlyHint=True)


@server.tool(annotations=reads)
def echo(text: str) -> str:
    """Gives the text."""
    return text


@server.tool(annotations=reads)
def add(a: int, b: int) -> dict[str, int]:
    """Adds two numbers."""
    return {"sum": a + b}


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("the disk is full")


@server.tool()
def picture() -> Image:
    """Gives a picture."""
    return Image(data=b"\x89PNG\r\n\x1a\npicture", format="png")


@server.tool()
async def slow(context: Context) -> str:
    """Reports progress."""
    await context.report_progress(1, 2, "half")
    return "done"


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        try:
            server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
        except TypeError:
            server.settings.port = int(sys.argv[2])
            server.run("streamable-http")
    else:
        server.run()
