"""The console blocks of the pages that need a GPU print what the page shows."""

from pathlib import Path

import pytest

from tests.support.doc_sessions import make_checkout, read_blocks, run_page

pytestmark = [pytest.mark.gpu, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path
    for path in sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    if any(block.needs_gpu for block in read_blocks(path.read_text()))
]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_blocks_print_what_the_page_shows(path, tmp_path):
    assert run_page(path.read_text(), make_checkout(tmp_path), on_gpu=True) > 0
