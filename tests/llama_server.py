"""llama.cpp's own HTTP server with the demo model, as somebody else's process.

Run as a module it prints its address and serves until its input ends. The other half, for tests,
starts it and waits for the address.
"""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module


@contextmanager
def llama_server(*, window_tokens: int) -> Generator[str]:
    """The base URL of a server whose context has this size."""
    command = [sys.executable, "-m", "tests.llama_server", str(window_tokens)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip() + "/v1"
        finally:
            process.stdin.close()


def main(window_tokens: int) -> None:
    from windowpane.providers.weights import weights_of

    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights_of("").path)
    params.n_ctx = window_tokens
    params.fit_params = False
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cache_ram_mib = 0
    params.verbosity = -1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
