# %% [markdown]
# # Reading Roamcast's tables with pandas and with DuckDB
#
# docs/tables.md has every column. What is read here is made by
#
#     roamcast compare scenarios/campus.toml --protocols frugal,flooding --seeds 5 --out campus
#     roamcast movement import fcd.xml --out city
#     roamcast contacts city --range-m 100 --out city-contacts
#
# and this file is run as `python examples/read_tables.py campus city city-contacts`, or cell by cell.

# %%
import json
import sys
from pathlib import Path

import pandas

CAMPAIGN, MOVEMENT, CONTACTS = (Path(each) for each in (*sys.argv[1:], "campus", "city", "city-contacts")[:3])
TABLES = CAMPAIGN / "tables"
for needed in (TABLES, MOVEMENT / "movement", CONTACTS / "contacts"):
    if not needed.is_dir():
        print(f"{needed}: no such folder; the top of this file says how to make it", file=sys.stderr)
        sys.exit(2)

# %% [markdown]
# ## pandas
# A folder of Parquet files is one table. A run's protocol stands in its point of the plan.

# %%
plan = pandas.read_parquet(TABLES / "plan")
runs = pandas.read_parquet(TABLES / "runs")
metrics = pandas.read_parquet(TABLES / "metrics")
plan["protocol"] = [json.loads(point)["protocol.name"] for point in plan["point"]]
by_protocol = metrics.merge(plan, on="run_id").pivot_table(index="metric", columns="protocol", values="value")
print(runs.groupby("status").size().to_string())
print(by_protocol.loc[["delivery_ratio", "latency_mean_s", "bytes_sent_per_node"]].to_string())

# %%
movement = pandas.read_parquet(MOVEMENT / "movement")
there = movement.groupby("time_s")["node"].nunique()
print(f"{len(movement):,} rows, at most {there.max()} nodes at once, {(~movement['goes_on']).sum()} disappearances")

# %%
contacts = pandas.read_parquet(CONTACTS / "contacts")
names = pandas.read_parquet(CONTACTS / "nodes.parquet").set_index("node")["name"]
together = contacts.groupby(["a", "b"])["duration_s"].agg(["count", "sum"]).nlargest(5, "sum").reset_index()
together["a"], together["b"] = together["a"].map(names), together["b"].map(names)
print(together.to_string(index=False))
print(contacts[["duration_s", "inter_contact_s"]].describe().to_string())

# %% [markdown]
# ## DuckDB
# The same by SQL. DuckDB is not among Roamcast's dependencies: `pip install duckdb`.

# %%
try:
    import duckdb
except ImportError:
    sys.exit("DuckDB is not installed, the rest of this notebook needs it: pip install duckdb")

# %%
print(
    duckdb.sql(f"""
        SELECT json_extract_string(plan.point, '$."protocol.name"') AS protocol, metric, avg(value) AS mean,
               stddev_samp(value) AS deviation, count(value) AS runs
        FROM read_parquet('{TABLES}/metrics/*.parquet')
        JOIN read_parquet('{TABLES}/plan/*.parquet') AS plan USING (run_id)
        WHERE metric IN ('delivery_ratio', 'latency_mean_s', 'bytes_sent_per_node')
        GROUP BY ALL ORDER BY metric, protocol
    """)
)

# %%
print(
    duckdb.sql(f"""
        SELECT "window", count(*) AS rows, count(DISTINCT node) AS nodes, min(time_s) AS from_s, max(time_s) AS until_s
        FROM read_parquet('{MOVEMENT}/movement/*/*.parquet', hive_partitioning = true)
        GROUP BY "window" ORDER BY "window"
    """)
)

# %% [markdown]
# The share of inter-contact times that are longer than each: the CCDF of the picture that `roamcast contacts` draws.

# %%
print(
    duckdb.sql(f"""
        SELECT inter_contact_s, 1 - cume_dist() OVER (ORDER BY inter_contact_s) AS share_longer
        FROM read_parquet('{CONTACTS}/contacts/**/*.parquet') WHERE inter_contact_s IS NOT NULL
        ORDER BY inter_contact_s LIMIT 10
    """)
)
print(
    duckdb.sql(f"""
        SELECT round(avg(degree), 2) AS mean_degree, max(degree) AS highest,
               (SELECT round(avg(largest / nodes), 2)
                FROM read_parquet('{CONTACTS}/components/*.parquet')) AS share_in_largest
        FROM read_parquet('{CONTACTS}/degrees/*.parquet')
    """)
)
