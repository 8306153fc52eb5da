"""Text from scenarios, tracks and command lines made fit for a picture, a page or a terminal."""


def one_line(text: str) -> str:
    """Return the text on one line, without what XML forbids and what would steer a terminal."""
    return " ".join("".join(letter for letter in text if letter.isprintable() or letter.isspace()).split())
