"""Parts that several papers' figures and claims are built from."""
