"""The static site: the whole studio as files that any web server can hand out, answered by Python in the browser.

``build`` makes it from the installed games; ``fireplan site build`` runs that.
"""

from fireplan_studio.static_site.builder import build as build
