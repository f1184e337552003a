"""`tags`: which tags there are, and which manifests have them."""

from __future__ import annotations

from tazuna_core.operations.options import Options
from tazuna_core.operations.session import Session
from tazuna_core.report.text_lists import TagRow
from tazuna_core.spec.tags import all_tags


def tag_rows(options: Options) -> tuple[TagRow, ...]:
    """Returns a row for each tag, sorted, its manifests in declaration order; those without a name are not named.

    Under ``--tags`` only these tags; raises UsageError for one that no manifest has.
    """
    session = Session(options)
    session.require_tags()
    manifests = [one for top in session.spec.manifests for one in (top, *top.children)]
    return tuple(
        TagRow(tag, tuple(one.name for one in manifests if one.name and tag in one.tags))
        for tag in all_tags(session.spec.manifests)
        if not options.tags or tag in options.tags
    )
