"""Tests of the scheduler of loops: attention's schedule, and properties of random graphs."""

import random
from dataclasses import replace

import pytest

from tilec.plan.graph import Edge, Engine, LoopGraph, Op
from tilec.plan.schedule import SHORT_ROUND, SHORT_VECTOR_ROUND, evaluate, schedule_loop

SCORES, SOFTMAX, WEIGHTS, SCALE, OUTPUT = range(5)


def attention(warpgroups=2, registers=(64, 64, 32, 64, 64)):
    """One round for 64 rows, 128 keys and 128 columns of a warpgroup."""
    ops = (
        Op("scores", Engine.TENSOR, 512, registers=registers[0]),
        Op("softmax", Engine.SPECIAL, 800, registers=registers[1]),
        Op("weights", Engine.VECTOR, 64, registers=registers[2]),
        Op("scale", Engine.VECTOR, 64, registers=registers[3]),
        Op("output", Engine.TENSOR, 512, registers=registers[4]),
    )
    edges = (
        Edge(SCORES, SOFTMAX),
        Edge(SOFTMAX, WEIGHTS),
        Edge(WEIGHTS, OUTPUT),
        Edge(SCALE, OUTPUT),
        Edge(OUTPUT, SCALE, 1),
        Edge(OUTPUT, WEIGHTS, 1),
    )
    return LoopGraph(ops, edges, warpgroups)


def gradients(exchanged=True):
    """Products of two warpgroups: the last but one reads what both compute from the others."""
    ops = (
        Op("scores", Engine.TENSOR, 256, registers=32),
        Op("weights", Engine.SPECIAL, 400, registers=16),
        Op("queries", Engine.TENSOR, 256, registers=128),
        Op("store", registers=0, cycles=300),
        Op("keys", Engine.TENSOR, 256, registers=64),
    )
    edges = (Edge(0, 1), Edge(1, 2), Edge(2, 3), Edge(1, 4), Edge(4, 4, 1))
    crossing = (Edge(1, 2),) if exchanged else ()
    return LoopGraph(ops, edges, 2, meets=True, exchanges=crossing, in_order=exchanged)


def test_a_product_of_what_warpgroups_exchange_runs_a_round_later():
    graph = gradients()
    found = schedule_loop(graph, 208)
    assert found.best.stages == (0, 0, 1, 1, 0)
    assert found.best.order == (0, 1, 4, 2, 3), "what is exchanged has a whole round"
    assert not found.best.turns
    (plain,) = (item.schedule for item in found.lost if not item.schedule.rotated)
    assert graph.meets_with(plain.stages)
    assert not graph.meets_with(found.best.stages)
    assert plain.interval == 2 * sum(op.cycles for op in graph.ops)


def test_what_has_one_place_makes_warpgroups_meet_in_every_schedule():
    graph = gradients(exchanged=False)
    assert all(graph.meets_with(item.stages) for item in every_schedule(schedule_loop(graph, 208)))


def every_schedule(choice):
    return [choice.best, *(item.schedule for item in choice.lost)]


def test_the_second_product_of_attention_runs_a_round_later():
    best = schedule_loop(attention(), 208).best
    assert best.stages == (0, 0, 0, 1, 1)
    assert best.order.index(OUTPUT) < best.order.index(SOFTMAX)
    assert best.order.index(OUTPUT) < best.order.index(WEIGHTS)
    assert best.order[0] == SCORES
    assert best.turns


def arrivals(order, slots):
    """Attention whose tiles arrive in an order: keys and bias for the scores, values."""
    ops = tuple(Op(name, in_place=True, arrives=True) for name in order)
    graph, first = attention(), len(order)
    edges = [replace(e, source=e.source + first, target=e.target + first) for e in graph.edges]
    reader = {"keys": SCORES, "bias": SOFTMAX, "values": OUTPUT}
    edges += [Edge(number, reader[name] + first) for number, name in enumerate(order)]
    return LoopGraph((*ops, *graph.ops), tuple(edges), 2, slots=slots)


@pytest.mark.parametrize(
    ("order", "slots", "possible"),
    [
        (("keys", "bias", "values"), 1, True),
        (("keys", "values", "bias"), 1, False),
        (("keys", "values", "bias"), 2, True),
    ],
)
def test_with_one_slot_tiles_of_the_next_round_arrive_first(order, slots, possible):
    """A producer that waits for the slot of the values brings no bias, for which consumers wait
    before they read the values."""
    choice = schedule_loop(arrivals(order, slots), 208)
    bias, values = order.index("bias"), order.index("values")
    stages = [item.stages for item in every_schedule(choice)]
    assert any(found[bias] < found[values] for found in stages) == possible


def test_the_interval_is_at_least_what_the_busiest_engine_takes():
    for schedule in every_schedule(schedule_loop(attention(), 208)):
        assert schedule.binds is Engine.TENSOR
        assert schedule.interval >= schedule.bound == 2 * 1024


def test_one_warpgroup_gains_the_overlap_and_takes_no_turns():
    graph = attention(warpgroups=1)
    best = schedule_loop(graph, 208).best
    assert best.rotated
    assert not best.turns
    plain = evaluate(graph, (0,) * 5)
    assert plain.interval == pytest.approx(512 + 800 + 64 + 64 + 512)
    assert best.interval < 0.8 * plain.interval


@pytest.mark.parametrize("warpgroups", [2, 3])
def test_short_rounds_stay_as_they_are_where_special_functions_bind(warpgroups):
    def choice(tensor, special, **fixed):
        graph = attention(warpgroups=warpgroups)
        cycles = {SCORES: tensor, SOFTMAX: special, OUTPUT: tensor}
        ops = (replace(op, cycles=cycles.get(n, op.cycles)) for n, op in enumerate(graph.ops))
        return schedule_loop(replace(graph, ops=tuple(ops)), 208, **fixed)

    short, long = SHORT_ROUND / warpgroups - 1, SHORT_ROUND / warpgroups + 1
    assert choice(short / 2 + 10, short).best.rotated, "the tensor cores bind"
    kept = choice(short / 2 - 10, short)
    assert not kept.best.rotated
    assert "other warpgroups hide anyway" in kept.why_not_rotated
    assert choice(short / 2 - 10, short, rotate=True).best.rotated
    assert choice(long / 2 - 10, long).best.rotated


@pytest.mark.parametrize(("more", "rotated"), [(-2, False), (2, True)])
def test_short_rounds_stay_as_they_are_where_vector_units_bind(more, rotated):
    """Products are 0.8 of a round, so they are not few."""
    graph, total = attention(warpgroups=2), (SHORT_VECTOR_ROUND + more) / 2
    ops = list(graph.ops)
    others = sum(op.cycles for op in ops if op.engine is Engine.VECTOR)
    ops[SOFTMAX] = replace(ops[SOFTMAX], engine=Engine.VECTOR, cycles=total - others)
    for n in (SCORES, OUTPUT):
        ops[n] = replace(ops[n], cycles=0.4 * total)
    choice = schedule_loop(replace(graph, ops=tuple(ops)), 208)
    assert choice.best.rotated == rotated
    assert rotated or "vector units bind" in choice.why_not_rotated


def test_one_warpgroup_has_no_other_to_hide_its_products():
    graph = attention(warpgroups=1)
    cycles = {SCORES: 256, SOFTMAX: 600, OUTPUT: 256}
    ops = (replace(op, cycles=cycles.get(n, op.cycles)) for n, op in enumerate(graph.ops))
    assert schedule_loop(replace(graph, ops=tuple(ops)), 208).best.rotated


def test_too_many_registers_keep_the_loop():
    found = schedule_loop(attention(), 100)
    assert not found.best.rotated
    assert found.why_not_rotated == "the best rotated loop needs 160 registers for tiles, of 128"


def test_what_lost_comes_in_order_and_says_why():
    found = schedule_loop(attention(), 208)
    whys = {item.schedule.stages: item.why for item in found.lost}
    assert found.best.stages not in whys
    plain = evaluate(attention(), (0,) * 5)
    slower = 100 * (plain.interval / found.best.interval - 1)
    assert whys[plain.stages] == f"is {slower:.1f}% slower"
    intervals = [round(item.schedule.interval) for item in found.lost]
    assert intervals == sorted(intervals)


def test_a_small_gain_keeps_the_loop_unless_it_is_asked_for():
    graph = attention(warpgroups=1)
    short = Op("softmax", Engine.SPECIAL, 8)
    ops = (graph.ops[SCORES], short, Op("weights"), Op("scale"), graph.ops[OUTPUT])
    graph = LoopGraph(ops, graph.edges)
    found = schedule_loop(graph, 208)
    assert not found.best.rotated
    assert found.why_not_rotated == "the best rotated loop is 0.8% faster, less than 3%"
    assert schedule_loop(graph, 208, rotate=True).best.rotated


def test_a_loop_that_does_nothing_ahead_is_kept():
    """All products come one round later than a scaling that takes no time."""
    ops = (
        Op("scale", Engine.VECTOR, 1),
        Op("scores", Engine.TENSOR, 512, stage=1),
        Op("softmax", Engine.SPECIAL, 800),
        Op("slopes", Engine.TENSOR, 512, stage=1),
        Op("output", Engine.TENSOR, 512, stage=1),
    )
    edges = (Edge(0, 2), Edge(1, 2), Edge(2, 4), Edge(3, 4))
    graph = LoopGraph(ops, edges, warpgroups=2)
    found = schedule_loop(graph, 208)
    assert not found.best.rotated
    why = "the best rotated loop does almost nothing for the next iteration"
    assert found.why_not_rotated == why
    assert schedule_loop(graph, 208, rotate=True).best.rotated


def test_the_user_can_fix_rotation_and_turns():
    kept = schedule_loop(attention(), 208, rotate=False)
    assert not kept.best.rotated
    assert kept.why_not_rotated == "the best rotated loop is excluded by rotate = false"
    chosen = schedule_loop(attention(), 208)
    queued = schedule_loop(attention(), 208, turns=False).best
    assert queued.rotated
    assert not queued.turns
    assert queued.interval > chosen.best.interval
    assert schedule_loop(attention(warpgroups=1), 208, turns=True).best.turns is False
    assert schedule_loop(attention(), 208, rotate=True, turns=True).best == chosen.best


def test_no_request_exceeds_the_registers():
    assert not schedule_loop(attention(), 100, rotate=True).best.rotated


def test_a_product_of_a_fixed_stage_keeps_the_loop():
    graph = LoopGraph((Op("product", Engine.TENSOR, 512, stage=0),), ())
    found = schedule_loop(graph, 208, rotate=True)
    assert (found.best.rotated, found.lost) == (False, ())
    assert found.why_not_rotated == "none of its operations can run one round later than others"


def test_the_registers_of_a_round_count_what_is_carried():
    graph = attention()
    # scores, the weights of the round before, and the output
    assert evaluate(graph, (0, 0, 0, 1, 1)).registers == 64 + 32 + 64


def test_a_result_takes_registers_as_long_as_it_is_read():
    """A branch makes scores, which end with the weights, and row maxima, which are carried on."""
    ops = (
        Op("scores", Engine.TENSOR, 512, registers=64),
        Op("branch", Engine.VECTOR, 64, registers=65, shares=(64, 1)),
        Op("weights", Engine.SPECIAL, 512, registers=64),
        Op("output", Engine.TENSOR, 512, registers=64),
    )
    edges = (Edge(0, 1), Edge(1, 2), Edge(1, 1, 1, result=1), Edge(2, 3), Edge(3, 3, 1))
    assert evaluate(LoopGraph(ops, edges, 2), (0, 0, 0, 0)).registers == 64 + 1 + 64


def test_a_sum_of_products_has_nothing_to_gain():
    graph = LoopGraph((Op("product", Engine.TENSOR, 512, registers=64),), (Edge(0, 0, 1),), 2)
    found = schedule_loop(graph, 208)
    assert not found.best.rotated
    assert found.best.interval == found.best.bound == 1024


def test_a_tile_in_a_slot_has_the_stage_of_its_readers():
    graph = attention()
    ops = (Op("values", in_place=True), Op("token"), *graph.ops)
    edges = [Edge(edge.source + 2, edge.target + 2, edge.distance) for edge in graph.edges]
    edges += [Edge(0, OUTPUT + 2), Edge(0, 1)]
    best = schedule_loop(LoopGraph(ops, tuple(edges), 2), 208).best
    assert best.stages[0] == best.stages[1] == best.stages[OUTPUT + 2] == 1


def random_graph(generator):
    count = generator.randint(2, 9)
    ops = tuple(
        Op(
            str(number),
            generator.choice((Engine.TENSOR, Engine.TENSOR, Engine.VECTOR, Engine.SPECIAL)),
            generator.choice((0, 16, 64, 300)),
            registers=generator.choice((0, 1, 16, 32)),
        )
        for number in range(count)
    )
    edges = {
        Edge(*sorted(generator.sample(range(count), 2))) for _ in range(generator.randint(1, 12))
    }
    edges |= {
        Edge(generator.randrange(count), generator.randrange(count), generator.randint(1, 2))
        for _ in range(generator.randint(0, 4))
    }
    return LoopGraph(ops, tuple(sorted(edges, key=str)), generator.randint(1, 3))


@pytest.mark.parametrize("seed", range(200))
def test_a_round_waits_for_nothing_that_comes_later(seed):
    graph = random_graph(random.Random(seed))
    for schedule in every_schedule(schedule_loop(graph, 10_000)):
        place = {n: index for index, n in enumerate(schedule.order)}
        assert sorted(schedule.order) == list(range(len(graph.ops)))
        for edge in graph.edges:
            lag = edge.distance + schedule.stages[edge.target] - schedule.stages[edge.source]
            assert lag >= 0
            assert lag or place[edge.source] < place[edge.target]
        assert schedule.interval >= schedule.bound


def test_threads_load_a_tile_right_before_they_need_it():
    graph = attention()
    light = (Op("maxima", registers=16), Op("name"), Op("scaled", Engine.VECTOR, 2, registers=16))
    edges = [Edge(edge.source + 3, edge.target + 3, edge.distance) for edge in graph.edges]
    edges += [Edge(0, 1), Edge(1, 2), Edge(2, SOFTMAX + 3)]
    stages = (0, 0, 0, 0, 0, 0, 1, 1)
    order = evaluate(LoopGraph((*light, *graph.ops), tuple(edges), 2), stages).order
    place = order.index(SOFTMAX + 3)
    assert order[place - 3 : place] == (0, 1, 2)
    assert order.index(SCORES + 3) < place - 3
