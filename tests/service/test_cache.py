from tersely.service.cache import Cache


def test_what_was_kept_is_found() -> None:
    cache: Cache[str, list[int]] = Cache(2)
    assert cache.get("a") is None
    cache.keep("a", [])
    assert cache.get("a") == []


def test_the_one_unused_longest_goes() -> None:
    cache: Cache[str, int] = Cache(2)
    cache.keep("a", 1)
    cache.keep("b", 2)
    cache.get("a")
    cache.keep("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    assert len(cache) == 2


def test_a_cache_of_size_zero_keeps_nothing() -> None:
    cache: Cache[str, int] = Cache(0)
    cache.keep("a", 1)
    assert cache.get("a") is None
