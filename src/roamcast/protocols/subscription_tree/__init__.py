"""One tree over the whole network, along which subscriptions spread: a baseline of the tree group paper."""
