"""``fireplan open``: the answer that a link of the studio asks for."""

from __future__ import annotations

from fireplan import api
from fireplan.cli._asked import tell
from fireplan.cli._open import needing
from fireplan.cli._options import Json
from fireplan.cli._print import say_wrapped


def open(link: str, /, *, json: Json = False) -> None:  # noqa: A001 - what one does with a link
    """Answer a link of the studio, or of a static site: the same comparison or change, in this terminal.

    Says whether the fractions are those that the link was made with, or which version differs. Needs the extra 'web'.

    :param link: The address as the browser shows it, or what stands behind its host and its '#'.
    """
    with needing("web", "A link"):
        from fireplan.studio import BadAddressError, opened
    try:
        comparison, stands = opened(link)
    except BadAddressError as error:
        faults = (
            ": ".join(filter(None, (fault.key, "; ".join(filter(None, (fault.message, fault.suggestion))))))
            for fault in error.faults
        )
        raise api.InputError(*faults) from error
    tell(api.ComparisonResult(comparison), json=json)
    if stands and not json:
        say_wrapped(stands)
