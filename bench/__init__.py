"""Each number of the goals as one command: ``python -m bench.NAME`` prints one JSON line."""
