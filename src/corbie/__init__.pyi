from corbie.entrypoints.library import Corbie as Corbie
from corbie.entrypoints.library import Outcome as Outcome
from corbie.entrypoints.library import Run as Run

__version__: str
