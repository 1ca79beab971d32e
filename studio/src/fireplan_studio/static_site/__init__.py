"""The static site: the whole studio as files for any web server, with Python in the browser.

``build`` makes it from the installed games; ``fireplan site build`` calls it.
"""

from fireplan_studio.static_site.builder import build as build
