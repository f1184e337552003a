"""Which comments and issues this token wrote itself: by login, and where GitHub does not tell it, by kind and age."""

from __future__ import annotations

from collections.abc import Sequence

from entrypoints.publish.github_api import JSON, GitHubApi


def own_ids(items: Sequence[JSON], api: GitHubApi) -> set[int]:
    """Returns the ids of those comments or issues that this token wrote (B18 to B20). ``items`` all have our marker."""
    if not items:
        return set()
    login = api.login()
    if login is not None:
        return {int(item["id"]) for item in items if _same_login(_login(item), login)}
    # GitHub does not say who we are. Our kind of author is known (a bot, or for a person's token a person who may
    # write here), and what we wrote came before any copy of it: so of that kind, the author of the first one.
    of_our_kind = [item for item in items if _is_bot(item) != api.is_users_token and _may_write(item)]
    first = min(of_our_kind, key=lambda item: int(item["id"]), default=None)
    return {int(item["id"]) for item in of_our_kind if first and _login(item) == _login(first)}


def _login(item: JSON) -> str:
    return str((item.get("user") or {}).get("login", ""))


def _same_login(one: str, other: str) -> bool:
    # REST ends an app's login with "[bot]", GraphQL does for some kinds of token only.
    return one.lower().removesuffix("[bot]") == other.lower().removesuffix("[bot]") != ""


def _is_bot(item: JSON) -> bool:
    return (item.get("user") or {}).get("type") == "Bot"


def _may_write(item: JSON) -> bool:
    return _is_bot(item) or item.get("author_association") in ("OWNER", "MEMBER", "COLLABORATOR")
