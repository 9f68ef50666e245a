"""Windowpane: a self-hosted AI chat workspace in which you see exactly what the model sees."""

__version__ = "0.1.0"
