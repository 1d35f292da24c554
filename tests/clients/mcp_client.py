"""Finds a tool with the mcp package for Python and calls it. Prints what the client saw as JSON.

Usage: python mcp_client.py <query> <answer of the user> <command> <argument>…
       python mcp_client.py <query> - <URL>
"""

import asyncio
import json
import os
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitResult


async def main(query, answer, *server):
    asked = []

    async def answer_question(_context, params):
        asked.append(params.model_dump(mode="json", by_alias=True, exclude_none=True))
        if answer == "yes":
            return ElicitResult(action="accept", content={"approve": True})
        return ElicitResult(action="decline")

    is_remote = server[0].startswith("http")
    target = server[0] if is_remote else StdioServerParameters(command=server[0], args=list(server[1:]), env=dict(os.environ))
    async with Client(target, elicitation_callback=None if answer == "-" else answer_question) as client:
        tools = await client.list_tools()
        found = await client.call_tool("search_tools", {"query": query})
        tool_ref = found.structured_content["results"][0]["tool_ref"]
        tool = await client.call_tool("get_tool", {"tool_ref": tool_ref})
        called = None
        if not is_remote:
            arguments = {"tool_ref": tool_ref, "arguments": {"query": "eth"}}
            called = (await client.call_tool("call_tool", arguments)).model_dump(mode="json", by_alias=True, exclude_none=True)
        result = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "tool": tool.structured_content,
            "called": called,
            "asked": asked,
        }
        print(json.dumps(result))


asyncio.run(main(*sys.argv[1:]))
