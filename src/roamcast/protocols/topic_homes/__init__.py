"""Topics with homes: the six systems of the broker and rendezvous paper (Pongthawornkamol, Nahrstedt, Wang, 2007).

``system`` is what all six share, ``broker`` and ``rendezvous`` are the two ways to use a home, ``homes`` says where a
topic's home is, and ``node_homes`` and ``place_homes`` which router leads there. ``broker_aodv.py`` and its five
siblings in the folder above choose one of each.
"""
