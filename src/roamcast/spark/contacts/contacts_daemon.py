"""The process that Spark forks its Python workers from while it finds contacts: with Arrow and the compiled search.

The machine code is loaded, or compiled, once, before the workers are forked; otherwise each of them would do so.
"""

import numpy as np
import pyarrow.parquet  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import roamcast.spark.contacts.contact_import
import roamcast.spark.contacts.contact_search  # noqa: F401
from roamcast.spark.contacts.links import links

if __name__ == "__main__":
    links(np.zeros(2), np.zeros(2), 1.0)
    manager()
