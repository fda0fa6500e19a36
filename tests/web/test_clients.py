import pytest

from tersely.web.clients import client_of, is_address, is_loopback

PROXY = "10.0.0.1"


def scope(peer: str, *forwarded: str) -> dict:
    headers = [(b"x-forwarded-for", name.encode()) for name in forwarded]
    return {"type": "http", "client": (peer, 1234), "headers": headers}


@pytest.mark.promise(12)
def test_a_forged_header_changes_nothing() -> None:
    assert client_of(scope("203.0.113.5", "1.2.3.4")) == "203.0.113.5"
    assert client_of(scope("127.0.0.1", "1.2.3.4")) == "127.0.0.1"
    assert client_of(scope("203.0.113.5", "1.2.3.4"), {PROXY}) == "203.0.113.5"


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        (["203.0.113.5"], "203.0.113.5"),
        (["1.2.3.4, 203.0.113.5"], "203.0.113.5"),  # the first was said by the client itself
        (["1.2.3.4", "203.0.113.5"], "203.0.113.5"),
        ([f"203.0.113.5, {PROXY}"], "203.0.113.5"),
        ([], PROXY),
        ([" , "], PROXY),
    ],
)
def test_a_trusted_proxy_is_believed_about_whom_it_heard_from(
    forwarded: list[str], client: str
) -> None:
    assert client_of(scope(PROXY, *forwarded), {PROXY}) == client


def test_all_addresses_of_one_network_are_one_client() -> None:
    assert client_of(scope("2001:db8::1")) == client_of(scope("2001:db8::ffff:1"))
    assert client_of(scope("2001:db8::1")) != client_of(scope("2001:db8:0:1::1"))
    assert client_of(scope("::ffff:203.0.113.5")) == "203.0.113.5"


def test_a_connection_without_address_is_a_client_too() -> None:
    assert client_of({"type": "http", "client": None, "headers": []}) == ""


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1.2.3", "localhost", "LocalHost", "::1", "[::1]"]
)
def test_loopback_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.2", "localhost.example.org", "", "127.0.0.1.example.org"]
)
def test_nothing_else_is_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_an_address_is_no_name() -> None:
    assert is_address("[::1]")
    assert not is_address("example.org")
