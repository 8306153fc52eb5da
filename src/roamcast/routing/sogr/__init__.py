"""SOGR: geographic unicast without beacons (Xiang, Wang, Zhou)."""
