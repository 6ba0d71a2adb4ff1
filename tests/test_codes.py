"""The catalogue of diagnostic codes against the sources."""

import re
from pathlib import Path

from tilec.support.codes import CODES

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "tilec" / "support" / "codes.py"


def _codes_in_sources() -> dict[str, str]:
    found = {}
    for folder in ("tilec", "dialects", "passes"):
        for path in (ROOT / folder).rglob("*.py"):
            if path != CATALOGUE:
                for code in re.findall(r'"(T0\d{3})"', path.read_text()):
                    found.setdefault(code, str(path.relative_to(ROOT)))
    return found


def test_every_code_is_in_the_catalogue():
    missing = {code: path for code, path in _codes_in_sources().items() if code not in CODES}
    assert missing == {}


def test_every_code_of_the_catalogue_is_used():
    text = (ROOT / "tilec" / "cli" / "main.py").read_text()
    used = _codes_in_sources()
    assert [code for code in CODES if code not in used and f"[{code}]" not in text] == []


def test_codes_are_in_order_and_described():
    assert list(CODES) == sorted(CODES)
    assert all(re.fullmatch(r"T0\d{3}", code) for code in CODES)
    assert all(meaning and not meaning.endswith(".") for meaning in CODES.values())
