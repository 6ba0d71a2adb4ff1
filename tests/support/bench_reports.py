"""Small reports of the GEMM benchmark."""

CASE = "1000x1000x500:bf16:NN"  # 1e9 operations: 1 ms is 1 TFLOP/s
DETAIL = {"constants": {"BM": 128, "BN": 256, "BK": 64}, "plan": {"stages": 4}}


def timed(times, detail=None, mhz=()):
    readings = [{"sm_mhz": value} for value in mhz]
    return {
        "times": times,
        "durations": [time * 100 for time in times],
        "detail": detail or {},
        "readings": readings,
    }


def report(*processes, host=None, unreached=()):
    return {
        "schema": 1,
        "date": "2026-11-21",
        "host": host or {"gpu": "H200", "driver": "580"},
        "options": {"rounds": 3, "seconds": 0.2},
        "processes": [
            {"results": [{"case": CASE, "contenders": item}], "unreached": list(unreached)}
            for item in processes
        ],
    }


FIRST = {"tilec": timed([1, 2, 4], DETAIL, (1500, 1400, 1450)), "cublas": timed([2, 2, 2])}
SECOND = {"tilec": timed([1, 1, 1], DETAIL), "cublas": timed([1, 2, 3])}
