"""The wire types of Kinpost. Generated: do not edit."""
