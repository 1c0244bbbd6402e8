"""Whether there is a store, before processes are started that need it.

Apart from `stores`: what that imports starts threads, which a process that forks may not have.
"""

import contextlib

from corbie.adapters.stores.opening import open_store, require_version
from corbie.domain.errors import Unavailable


def require_store(url: str) -> None:
    """Return if there is a store of this layout, or one that does not answer now.

    Raises:
        SetupRefused: there is none, or it has another layout.
    """
    with contextlib.suppress(Unavailable):
        require_version(open_store(url))
