"""A digest of files, for things that must not outlive them: compiled code, results of runs."""

import hashlib
from collections.abc import Iterable


def content_digest(files: Iterable[tuple[str, bytes]]) -> str:
    """Return the digest of files, by name and content, in the given order."""
    digest = hashlib.blake2b(digest_size=16)
    for name, content in files:
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()
