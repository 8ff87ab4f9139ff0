"""Memory is bounded: what was not used for long goes first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from app.trace.cache import Cache


def test_the_least_recently_used_goes_first() -> None:
    cache: Cache[str] = Cache(10, len)
    cache.put("a", "aaaa")
    cache.put("b", "bbbb")
    assert cache.get("a") == "aaaa"
    cache.put("c", "cccc")
    assert [cache.get(key) for key in "abc"] == ["aaaa", None, "cccc"]
    assert cache.used == 8


def test_a_value_larger_than_everything_pushes_nobody_out() -> None:
    cache: Cache[str] = Cache(10, len)
    cache.put("a", "aaaa")
    cache.put("b", "b" * 11)
    assert (cache.get("a"), cache.get("b"), cache.used) == ("aaaa", None, 4)


def test_putting_twice_counts_once_and_dropping_gives_the_room_back() -> None:
    cache: Cache[str] = Cache(10, len)
    cache.put("a", "aaaa")
    cache.put("a", "aaaa")
    assert cache.used == 4
    cache.drop("a")
    cache.drop("a")
    assert (cache.get("a"), cache.used) == (None, 0)


def test_many_threads_never_take_more_than_the_capacity() -> None:
    cache: Cache[bytes] = Cache(1000, len)

    def work(thread: int) -> int:
        most = 0
        for i in range(300):
            cache.put(f"{(thread * 7 + i) % 50}", bytes(i % 90))
            cache.get(f"{i % 50}")
            cache.drop(f"{(thread + i) % 50}") if i % 5 == 0 else None
            most = max(most, cache.used)
        return most

    with ThreadPoolExecutor(4) as pool:
        # A thread may look between another's adding and its pushing out: one value more.
        assert max(pool.map(work, range(4))) <= 1000 + 90
    assert cache.used == sum(len(cache.get(str(key)) or b"") for key in range(50))
