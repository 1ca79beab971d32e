"""The studio: the comparison and the table in a browser, on one's own machine, without any network.

``studio`` makes the application; ``fireplan serve`` runs it; ``alone`` answers requests without a server. It needs the
extra ``web``.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
