"""Trees of neighbours with Bloom filters (J. Li and others: mobile ad hoc communities)."""
