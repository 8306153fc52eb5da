"""Topics with homes: the six systems of the broker and rendezvous paper (Pongthawornkamol, Nahrstedt, Wang, 2007).

A topic's *home* is the node or the place where its subscriptions are collected. ``system`` holds what all six systems
share, ``broker`` and ``rendezvous`` are the two ways to use a home, ``homes`` computes where a topic's home is, and
``node_homes`` and ``place_homes`` name the router that leads there. ``protocols/broker_aodv.py`` and its five siblings
combine them.
"""
