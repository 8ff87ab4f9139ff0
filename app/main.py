"""The ASGI entry of a checkout: `uvicorn app.main:app`. The package is `attnscope`, beside this."""

from attnscope.main import create_app

app = create_app()
