"""The web face: pages, the JSON API and the event stream over one workspace."""
