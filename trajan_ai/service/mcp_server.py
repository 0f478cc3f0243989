"""The tools of `trajan_ai.service.agents` as a Model Context Protocol server (docs/mcp.md)."""

import asyncio
import os
import signal
import sys
import traceback
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.exit_status import INTERRUPTED
from trajan_ai.core.version import __version__
from trajan_ai.service.agents import TOOLS, AgentTools, BotFailure


def build_server(tools: AgentTools) -> Server[Any]:
    """Return a server that offers the tools of one agent."""
    # One thread answers all calls, one at a time. The thread lives as long as the server, because
    # on Linux a bot's process ends together with the thread that has started it.
    thread = ThreadPoolExecutor(max_workers=1)

    async def list_tools(context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[_describe_tool(name) for name in TOOLS])

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(thread, call, tools, params.name, params.arguments or {})

    return Server(
        "trajan-ai",
        version=__version__,
        instructions=tools.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def call(tools: AgentTools, name: str, arguments: dict[str, Any]) -> CallToolResult:
    """Return the result of a tool call; for bad input, this is one line, marked as an error."""
    try:
        answer = tools.call(name, arguments)
    except BotFailure as error:
        print(f"{error}:\n{error.details}", file=sys.stderr)
        return _failure(str(error))
    except TrajanError as error:
        return _failure(str(error))
    except Exception as error:  # its text is not sent, because it may reveal hidden information
        traceback.print_exc()
        return _failure(f"internal error: {type(error).__name__}; please report it")
    content: list[ContentBlock] = [TextContent(text=answer.text)]
    if answer.image is not None:
        data = b64encode(answer.image).decode("ascii")
        content.append(ImageContent(data=data, mime_type="image/png"))
    return CallToolResult(content=content, structured_content=answer.data)


def _failure(line: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=line)], is_error=True)


def serve(tools: AgentTools) -> None:
    """Serve one client on standard input and output until the input ends or a signal arrives."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # The thread that reads the input cannot be interrupted, so an exit would wait for a line.
        signal.signal(number, lambda *_: os._exit(INTERRUPTED))
    with closing(tools):
        anyio.run(_serve, build_server(tools))


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (source, sink):
        await server.run(source, sink, server.create_initialization_options())


def _describe_tool(name: str) -> Tool:
    schema = TOOLS[name].model_json_schema()
    text = " ".join(schema.pop("description").split())
    return Tool(name=name, description=text, input_schema=schema)
