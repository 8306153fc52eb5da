"""The table of metrics as the documentation shows it (docs/tables.md)."""

from roamcast.measuring.metrics import known_metrics

METRICS_BEGIN, METRICS_END = "<!-- generated: metrics -->", "<!-- end -->"
"""The comments before and after the table in the page."""


def metrics_markdown() -> str:
    """Return the table of metrics in Markdown, without the comments that stand round it."""
    rows = (
        f"| `{metric.name}` | {metric.unit} | {metric.direction} | {metric.description} |"
        for metric in known_metrics().values()
    )
    return "\n".join(["| metric | unit | better | what it is |", "|---|---|---|---|", *rows])
