# %% [markdown]
# # One run, and what is in it
#
# Twelve rescuers walk about a site after an earthquake, and three events are published. Run this file from the
# folder of the project, as `python examples/one_run.py` or cell by cell in an editor that knows `# %%`.

# %%
import roamcast as rc

scenario = rc.Scenario.load("scenarios/rescue.toml")
print(scenario)

# %% [markdown]
# A scenario is a set of keys. Any of them can be read, and changed in a copy; the scenario itself stays as it is.

# %%
weak = scenario.with_values({"radio.range_m": 60})
print(f"radios reach {scenario.value('radio.range_m'):g} m in the file and {weak.value('radio.range_m'):g} m here")

# %% [markdown]
# One run takes a scenario, a protocol and a seed. The same three give the same result on every machine.

# %%
result = rc.run(weak, protocol="frugal", seed=1)
print(f"delivered {result.metrics['delivery_ratio']:.0%} of what people asked for")
print(f"fingerprint {result.facts.digest()}")

# %% [markdown]
# Who received what, and when? `deliveries` holds one record for each event that reached someone.

# %%
for delivery in result.deliveries:
    if delivery.counted:
        print(f"{delivery.topic:22} node {delivery.publisher:2} -> {delivery.node:2} after {delivery.latency_s:6.1f} s")

# %% [markdown]
# The same as tables: `to_pandas()` has the metrics, `to_pandas("deliveries")` the deliveries.

# %%
deliveries = result.to_pandas("deliveries")
by_topic = deliveries[deliveries["counted"]].groupby("topic")["latency_s"].agg(["count", "median", "max"])
print(by_topic.round(1).to_string())

# %% [markdown]
# A longer range, one run for each value: `sweep` returns the scenario at every point.

# %%
for each in scenario.sweep({"radio.range_m": [40, 80, 120, 160]}):
    found = rc.run(each, protocol="frugal", seed=1).metrics["delivery_ratio"]
    print(f"range {each.value('radio.range_m'):3.0f} m: delivery ratio {found:.2f}")
