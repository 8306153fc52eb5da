# %% [markdown]
# # Comparing protocols over a sweep
#
# Twelve rescuers on a site. What does it take to reach those who asked, with radios of different ranges? Run this
# file from the folder of the project, as `python examples/compare_protocols.py` or cell by cell. It makes 36 runs on
# the embedded Spark, on all cores; a second call finds them in `results/example-ranges` and makes none.

# %%
import roamcast as rc

result = rc.compare(
    "scenarios/rescue.toml",
    protocols=["frugal", "flooding", "gossip"],
    seeds=4,
    sweep={"radio.range_m": [40, 80, 160]},
    out="results/example-ranges",
)
print(result)

# %% [markdown]
# `table` is tidy: one row for each point, protocol and metric, with the ends of the 95 % interval.

# %%
delivery = result.table[result.table["metric"] == "delivery_ratio"]
print(delivery.drop(columns=["metric", "unit"]).round(3).to_string(index=False))

# %% [markdown]
# Side by side: what each protocol delivers, and how many bytes each node sends for it.

# %%
metrics = ["delivery_ratio", "bytes_sent_per_node"]
chosen = result.table[result.table["metric"].isin(metrics)]
print(chosen.pivot_table(index="radio.range_m", columns=["metric", "protocol"], values="value").round(2).to_string())

# %% [markdown]
# `ratios` says how many times Frugal's value another protocol has; both saw the same movement and publications.

# %%
bytes_sent = result.ratios[result.ratios["metric"] == "bytes_sent_per_node"]
for protocol, range_m, times in bytes_sent[["protocol", "radio.range_m", "value"]].itertuples(index=False):
    print(f"{protocol} sends {times:.1f} times the bytes of frugal at {range_m:g} m")

# %% [markdown]
# The picture has a panel for each of the most telling metrics.

# %%
svg, png = result.draw()
print(f"picture: {png}")
