"""Memory is bounded: what was not used for long goes first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from attnscope.storage.cache import Cache


def keep(cache: Cache, key: str, value: str | bytes) -> None:
    cache.put(key, value, len(value))


def test_the_least_recently_used_goes_first() -> None:
    cache = Cache(10)
    keep(cache, "a", "aaaa")
    keep(cache, "b", "bbbb")
    assert cache.get(str, "a") == "aaaa"
    keep(cache, "c", "cccc")
    assert [cache.get(str, key) for key in "abc"] == ["aaaa", None, "cccc"]
    assert cache.used == 8


def test_a_value_larger_than_everything_pushes_nobody_out() -> None:
    cache = Cache(10)
    keep(cache, "a", "aaaa")
    keep(cache, "b", "b" * 11)
    assert (cache.get(str, "a"), cache.get(str, "b"), cache.used) == ("aaaa", None, 4)


def test_putting_twice_counts_once_and_dropping_gives_the_room_back() -> None:
    cache = Cache(10)
    keep(cache, "a", "aaaa")
    keep(cache, "a", "aaaa")
    assert cache.used == 4
    cache.drop(str, "a")
    cache.drop(str, "a")
    assert (cache.get(str, "a"), cache.used) == (None, 0)


def test_many_threads_never_take_more_than_the_capacity() -> None:
    cache = Cache(1000)

    def work(thread: int) -> int:
        most = 0
        for i in range(300):
            keep(cache, f"{(thread * 7 + i) % 50}", bytes(i % 90))
            cache.get(bytes, f"{i % 50}")
            cache.drop(bytes, f"{(thread + i) % 50}") if i % 5 == 0 else None
            most = max(most, cache.used)
        return most

    with ThreadPoolExecutor(4) as pool:
        # A thread may look between another's adding and its pushing out: one value more.
        assert max(pool.map(work, range(4))) <= 1000 + 90
    assert cache.used == sum(len(cache.get(bytes, str(key)) or b"") for key in range(50))


def test_kinds_share_the_room_and_not_their_keys() -> None:
    cache = Cache(10)
    keep(cache, "a", "aaaa")
    keep(cache, "a", b"bbbb")
    assert (cache.get(str, "a"), cache.get(bytes, "a"), cache.used) == ("aaaa", b"bbbb", 8)
    keep(cache, "c", "cccc")
    assert (cache.get(str, "a"), cache.get(bytes, "a"), cache.evicted) == (None, b"bbbb", 1)
