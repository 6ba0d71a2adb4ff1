"""Random products with random plans: the first seeds of `tools.emulator.fuzz.products`."""

import pytest

from tilec.support.diagnostics import TileError
from tools.emulator.fuzz import command, products
from tools.emulator.fuzz.products import random_product, run_product

PRODUCTS, GROUP = 48, 16


@pytest.mark.parametrize("first", range(0, PRODUCTS, GROUP))
def test_random_products(first, tmp_path):
    right = 0
    for seed in range(first, first + GROUP):
        case = random_product(seed)
        try:
            run_product(case, tmp_path)
        except TileError:
            continue
        except Exception as failure:
            raise AssertionError(str(case)) from failure
        right += 1
    assert right > 2


def test_a_seed_always_makes_the_same_kernel():
    assert random_product(5) == random_product(5)
    assert random_product(5) != random_product(6)


def test_what_goes_wrong_is_shown(monkeypatch, capsys):
    def fail(case, folder):
        raise KeyError(case.seed)

    monkeypatch.setattr(products, "run_product", fail)
    assert command.main(["--products", "--first", "7", "--seconds", "0.001"]) == 1
    shown = capsys.readouterr().out
    assert "seed 7: {'M':" in shown
    assert "KeyError: 7" in shown
    assert "seeds 7 to " in shown
