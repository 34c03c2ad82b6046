"""The benchmark: each figure beside a bare grpc.aio echo of the same messages, measured in the same run."""
