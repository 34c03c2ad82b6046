"""The Kinpost service: a durable post office for agents."""
