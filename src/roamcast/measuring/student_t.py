"""Student's t without a statistics package: half of a 95 % interval is this many standard errors."""

QUANTILES_975 = (
    12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119, 2.3646243, 2.3060041, 2.2621572, 2.2281389,
    2.2009852, 2.1788128, 2.1603687, 2.1447867, 2.1314495, 2.1199053, 2.1098156, 2.1009220, 2.0930241, 2.0859634,
    2.0796138, 2.0738731, 2.0686576, 2.0638986, 2.0595386, 2.0555294, 2.0518305, 2.0484071, 2.0452296, 2.0422725,
)  # fmt: skip
"""The 97.5 % quantile for 1 to 30 degrees of freedom, as in the usual tables with more digits."""
NORMAL_975 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution, which t approaches."""


def t_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t."""
    if degrees < 1:
        raise ValueError(f"{degrees} degrees of freedom: must be at least 1")
    if degrees <= len(QUANTILES_975):
        return QUANTILES_975[degrees - 1]
    return sum(term * (1 / degrees) ** power for power, term in enumerate(expansion_terms()))


def expansion_terms() -> tuple[float, ...]:
    """Return the terms of the Cornish-Fisher expansion in 1/degrees (Abramowitz and Stegun, 26.7.5)."""
    x = NORMAL_975
    return (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
