"""The doors of the service: gRPC handlers, conversion to and from the wire, identity."""
