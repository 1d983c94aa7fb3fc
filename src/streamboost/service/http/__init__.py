"""The store on the network: Starlette and uvicorn, one process, one error form, tokens."""

from streamboost.service.http.app import make_app
from streamboost.service.http.server import Options, serve

__all__ = ["Options", "make_app", "serve"]
