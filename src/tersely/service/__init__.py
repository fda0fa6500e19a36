"""The service: completion over HTTP, for the page, for programs and for other sites' pages."""
