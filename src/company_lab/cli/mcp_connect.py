"""company-lab mcp-connect: the world of a running episode on standard input and output."""

from __future__ import annotations

import click


@click.command("mcp-connect", short_help="Join an MCP client that starts its servers to a running episode.")
@click.argument("socket", required=False)
def command(socket: str | None) -> None:
    """Be the stdio MCP server of a running episode.

    A program that is evaluated starts this, as COMPANY_LAB_MCP_COMMAND and COMPANY_LAB_MCP_CONFIG tell it to. SOCKET is
    where the episode listens; without it COMPANY_LAB_MCP_SOCKET names it.
    """
    from company_lab.agents.mcp_bridge import bridge

    bridge(socket)
