"""The vocabulary shared by all other parts: events, topics, interests, messages, hosts, parameters and errors."""
