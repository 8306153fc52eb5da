"""Parsing numbers in the files of other tools: as programs write them, which is less than Python accepts."""


def as_number(text: str) -> float:
    """Convert a text to a number; neither 1_000 nor digits of other scripts are accepted."""
    if not text.isascii() or "_" in text:
        raise ValueError(_message(text))
    try:
        return float(text)
    except ValueError:
        raise ValueError(_message(text)) from None


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        as_number(text)
    except ValueError:
        return False
    return True


def _message(text: str) -> str:
    return f"'{text[:40]}' is not a number"
