"""The version of the contract. Generated: do not edit."""

from typing import Final

PROTOCOL_VERSION: Final = 20
"""The version of the contract from which this package was generated."""
