FROM python:3.13-slim AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements requirements
RUN python -m venv /opt/build \
    && /opt/build/bin/pip install --require-hashes -r requirements/build.txt \
    && python -m venv --without-pip /opt/attnscope \
    && /opt/build/bin/pip --python /opt/attnscope/bin/python install --no-compile \
        --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md ./
COPY app app
COPY models models
COPY static static
COPY templates templates
# What only developers of numpy need goes, and colours that no page has, languages that the help of
# the command never shows, and what only makes downloads from a hub faster; compiled once here, the
# server starts in half the time and never has to write into its own folders.
RUN /opt/build/bin/python -m hatchling build -t wheel -d dist \
    && /opt/build/bin/pip --python /opt/attnscope/bin/python install --no-compile \
        --no-index --no-deps dist/*.whl \
    && cd /opt/attnscope/lib/python3*/site-packages \
    && find . -type d -name tests -prune -exec rm -rf {} + \
    && find . \( -name '*.pyi' -o -name '*.a' -o -name '*.h' \) -delete \
    && rm -rf numpy/f2py numpy/_core/_simd*.so numpy/_core/*_tests*.so \
    && rm -rf hf_xet hf_xet-*.dist-info \
    && find pygments/lexers -name '*.py' ! -name __init__.py ! -name _mapping.py ! -name python.py -delete \
    && rm -rf cmap/data/colorcet cmap/data/cmasher cmap/data/cmocean \
    && python -m compileall -q -j 0 --invalidation-mode unchecked-hash .

FROM python:3.13-slim
LABEL org.opencontainers.image.title="attnscope" \
    org.opencontainers.image.description="An attention microscope: every number between the words and their attention."
ENV PATH=/opt/attnscope/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 ATTNSCOPE_DATA_DIR=/data
COPY --from=build /opt/attnscope /opt/attnscope
RUN groupadd --gid 10001 attnscope \
    && useradd --uid 10001 --gid attnscope --no-create-home --home-dir /data --shell /usr/sbin/nologin attnscope \
    && install -d -o attnscope -g attnscope /data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["attnscope", "serve", "--host", "0.0.0.0", "--port", "8000", "--data-dir", "/data"]
