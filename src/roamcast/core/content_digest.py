"""A fingerprint of files, for what must not outlive them: compiled code, results of runs."""

import hashlib
from collections.abc import Iterable


def content_digest(files: Iterable[tuple[str, bytes]]) -> str:
    """Return the fingerprint of files, by their names and contents, in the order in which they come."""
    digest = hashlib.blake2b(digest_size=16)
    for name, content in files:
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()
