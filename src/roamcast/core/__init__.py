"""The vocabulary that every other part speaks: events, topics, interests, messages, hosts and errors."""
