"""The studio: fireplan in a browser, on your own machine, without a network.

``studio`` builds the application, ``fireplan serve`` runs it, and ``without_server`` answers
requests without one.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
