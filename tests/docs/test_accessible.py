"""Accessibility features that the theme lacks and the build adds; ``axe`` checks for each one."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "docs" / "_accessible.py"


@pytest.fixture(scope="module")
def mend():
    spec = importlib.util.spec_from_file_location("accessible", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.mend


@pytest.mark.parametrize(
    ("built", "mended"),
    [
        (
            '<p class="caption" role="heading"><span>Compare</span></p>',
            'role="heading" aria-level="2"',
        ),
        ('<aside class="sidebar-drawer">', 'aria-label="All pages"'),
        (
            '<aside class="toc-drawer no-toc">',
            'class="toc-drawer no-toc" aria-label="On this page"',
        ),
        ("<pre><span></span>", '<pre tabindex="0">'),
        ('<div class="table-wrapper docutils container">', 'container" tabindex="0"'),
        ('<th class="head"><p></p></th>', "<td></td>"),
        ('<dl>\n<dd><em class="sig-param">a</em></dd>\n</dl>', '<span class="sig-lines">'),
    ],
)
def test_a_page_gets_the_attributes_that_the_theme_omits(mend, built, mended):
    assert mended in mend(built)
    assert mend(mend(built)) == mend(built), "a page that lacks nothing was changed"


def test_a_list_of_terms_and_a_full_head_stay(mend):
    page = (
        '<dl class="py"><dt>odds</dt><dd>What is likely.</dd></dl><th class="head"><p>Rule</p></th>'
    )
    assert mend(page) == page
