"""Numbers in the files of other tools: what a program writes, not all that Python would take for one."""


def as_number(text: str) -> float:
    """Return a text as a number; neither 1_000 nor digits of another script is one."""
    if not text.isascii() or "_" in text:
        raise ValueError(_said(text))
    try:
        return float(text)
    except ValueError:
        raise ValueError(_said(text)) from None


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        as_number(text)
    except ValueError:
        return False
    return True


def _said(text: str) -> str:
    return f"'{text[:40]}' is not a number"
