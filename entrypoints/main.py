"""The one process boundary of the action: reads the environment, decides, runs, publishes, exits."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ == "__main__":  # started by bootstrap.py as a file, isolated: this is where the packages lie
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from entrypoints.checkout import read_checkout
from entrypoints.commands import CoreCommands
from entrypoints.inputs import PREFIX
from entrypoints.publish.github_api import GitHubApi
from entrypoints.runner import read_runner
from entrypoints.step import Collaborators, run_step
from entrypoints.texts import CoreTexts


def main() -> int:
    """Runs the step; returns its exit code."""
    environment = dict(os.environ)
    for name in environment:
        if name.startswith(PREFIX):  # tokens among them: no program that a build starts shall inherit them
            del os.environ[name]
    runner = read_runner(environment, Path.home())
    collaborators = Collaborators(
        commands=CoreCommands(),
        texts=CoreTexts,
        checkout=lambda: read_checkout(runner.workspace),
        github=lambda token: GitHubApi(runner.api_url, runner.graphql_url, runner.repository, token),
    )
    return run_step(environment, runner, collaborators)


if __name__ == "__main__":
    sys.exit(main())
