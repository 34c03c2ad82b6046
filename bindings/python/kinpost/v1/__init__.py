"""Version 1 of the contract. Generated: do not edit."""

from kinpost.v1.version import PROTOCOL_VERSION as PROTOCOL_VERSION
