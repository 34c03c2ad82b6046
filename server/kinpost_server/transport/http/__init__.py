"""The HTTP door of peer mail: FastAPI on uvicorn, within the event loop of the gRPC server."""
