"""The six systems of the broker and rendezvous paper as curves, and the metrics measured."""

from roamcast.papers.shared.curves import Curve

HIGHWAY, CITY = "highway", "city"
"""The sweeps, one for each scenario."""
PLACES = {HIGHWAY: 4, CITY: 5}
"""The number of the figure drawn from each sweep."""
SPEED, DURATION = "mobility.speed_mps", "duration_s"
SLOWEST = 0.9
"""The lowest speed of a run, as a share of the highest. Our choice."""
DELIVERY, DELAY, BANDWIDTH = "delivery_ratio", "latency_mean_s", "payload_bytes_per_node_s"

B_AODV = Curve("B-AODV", "broker-aodv")
B_GPSR = Curve("B-GPSR (no map)", "broker-gpsr")
B_MAP = Curve("B-GPSR (with map)", "broker-gpsr-map")
R_AODV = Curve("R-AODV", "rendezvous-aodv")
R_GPSR = Curve("R-GPSR (no map)", "rendezvous-gpsr")
R_MAP = Curve("R-GPSR (with map)", "rendezvous-gpsr-map")
SYSTEMS = (B_AODV, B_GPSR, B_MAP, R_AODV, R_GPSR, R_MAP)
"""The paper's names, in the order in which a figure lists them."""
