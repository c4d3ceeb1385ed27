"""The folder of the Claude Code plug-in, against what the project has."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from foldproof_compactors import claude_code

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "claude_code"


def test_the_plug_in_names_commands_events_and_folders_that_are_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, function = project["scripts"]["foldproof-claude-code"].partition(":")
    assert module == claude_code.__name__
    assert callable(getattr(claude_code, function))
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"PreCompact", "PostCompact", "SessionStart", "UserPromptSubmit"}
    commands = [entry for groups in hooks.values() for group in groups for entry in group["hooks"]]
    assert {(entry["command"], *entry["args"]) for entry in commands} == {("foldproof-claude-code", "hook")}
    (start,) = hooks["SessionStart"]
    assert (start["matcher"], start["hooks"][0]["async"]) == ("compact", True)
    assert start["hooks"][0]["timeout"] > claude_code.WAIT_SECONDS
    servers = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]
    assert servers == {"recall": {"command": "foldproof-claude-code", "args": ["recall"]}}
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    (listed,) = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())["plugins"]
    assert (manifest["name"], manifest["version"]) == (project["name"], project["version"])
    assert (listed["name"], ROOT / listed["source"]) == (manifest["name"], PLUGIN)
