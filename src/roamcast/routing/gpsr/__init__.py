"""GPSR: greedy perimeter stateless routing (Karp, Kung: MobiCom 2000)."""
