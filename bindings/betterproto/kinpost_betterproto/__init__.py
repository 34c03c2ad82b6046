"""The wire types of Kinpost as dataclasses. Generated: do not edit."""

from kinpost_betterproto.kinpost.v1 import *  # noqa: F403
from kinpost_betterproto.version import PROTOCOL_VERSION as PROTOCOL_VERSION
