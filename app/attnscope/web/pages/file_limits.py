from __future__ import annotations

from fastapi import Request

from attnscope.weights.formats import Limits
from attnscope.weights.upload import MOST_FILES


def file_limits(request: Request) -> dict[str, float]:
    of_files: Limits = request.app.state.upload_limits
    return {
        "max_files": MOST_FILES,
        "max_header_bytes": of_files.max_header_bytes,
        "max_json_bytes": of_files.max_json_bytes,
        "max_tensors": of_files.max_tensors,
        "max_upload_bytes": of_files.max_bytes,
    }
