"""Structure-less content-based routing in mobile ad hoc networks (Baldoni and others: ICPS 2005)."""
