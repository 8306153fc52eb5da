"""An efficient event delivery scheme in mobile ad hoc communities (J. Li and others)."""
