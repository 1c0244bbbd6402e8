"""The store as its owner looks after it: its promises, and its files one by one.

Source: The store, Kinds of store (check, verify).
"""

from corbie.adapters.stores.checking import Promise, check_store
from corbie.adapters.stores.opening import open_store
from corbie.app.files.verify import Verification, Verifying
from corbie.domain.errors import SetupRefused
from corbie.entrypoints.settings import Settings
from corbie.entrypoints.wiring.local import list_cards, make_adapters, make_verifying

__all__ = ["Promise", "Verification", "check_promises", "verify_store"]


def check_promises(url: str) -> tuple[Promise, ...]:
    """Try every promise of the store at a URL on scratch files, which are removed.

    Raises:
        SetupRefused: there is no store there. StoreUnavailable: it cannot be used.
    """
    return check_store(open_store(url))


def verify_store(settings: Settings) -> Verification:
    """Check every file of this computer's store as far as its parties can.

    Raises:
        SetupRefused: nothing is set up here.
    """
    if not list_cards(settings):
        message = f"no party is set up in {settings.home}; run `corbie init` first"
        raise SetupRefused(message)
    verifying: Verifying = make_verifying(settings, make_adapters(settings))
    return verifying.verify()
