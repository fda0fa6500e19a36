"""Clients: whose request it is, and whether others than this computer's can send one.

An address comes from the connection. What a header says of it counts only if the
connection comes from a proxy that was named as trusted.
"""

from collections.abc import Collection
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import Scope

IPV6_HOME_BITS = 64
"""A home or a server gets at least this network, and may use any address within."""


def client_of(scope: Scope, trusted_proxies: Collection[str] = ()) -> str:
    """Name the client; of IPv6 the network, since one client has all of its addresses."""
    peer = scope["client"][0] if scope.get("client") else ""
    if peer in trusted_proxies:
        named = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
        # Each proxy adds at the end whom it heard from; only trusted ones are believed.
        for name in reversed([name.strip() for name in named if name.strip()]):
            peer = name
            if name not in trusted_proxies:
                break
    return _normal(peer)


def _normal(peer: str) -> str:
    try:
        address = ip_address(peer)
    except ValueError:
        return peer[:64]
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address.packed, IPV6_HOME_BITS), strict=False))


def is_loopback(host: str) -> bool:
    """Tell whether only this computer can reach what is bound there."""
    if host.lower() == "localhost":
        return True
    return is_address(host) and ip_address(host.strip("[]")).is_loopback


def is_address(host: str) -> bool:
    """Tell whether a host is written as an address, not as a name."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
