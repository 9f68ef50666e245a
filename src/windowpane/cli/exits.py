"""The exit codes of all commands, as ``docs/cli.md`` promises them."""

DONE = 0
FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
# What a shell reports of a program that went on writing into a closed pipe.
NOBODY_READS = 141
