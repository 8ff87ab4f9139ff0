"""The ASGI entry of a checkout: `uvicorn app.main:app`."""

from attnscope.main import create_app

app = create_app()
