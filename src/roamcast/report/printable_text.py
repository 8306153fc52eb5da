"""Making text from scenarios, tracks and command lines safe for a picture, a page or a terminal."""


def one_line(text: str) -> str:
    """Return the text on one line, without characters that XML forbids or that control a terminal."""
    return " ".join("".join(letter for letter in text if letter.isprintable() or letter.isspace()).split())
