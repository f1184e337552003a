"""Times as the API server writes them: RFC 3339, compared as moments and never as text."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(text: str) -> datetime | None:
    """Returns the moment of an RFC 3339 time, None where ``text`` is none."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def later(one: str, other: str) -> bool:
    """Whether ``one`` is after ``other``; of an unreadable or empty time nothing is known, so it is not."""
    first, second = moment(one), moment(other)
    return first is not None and second is not None and first > second
