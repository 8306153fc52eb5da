"""What all tests share: examples of hypothesis are not judged by the clock of a machine that others use, too."""

from hypothesis import HealthCheck, settings

settings.register_profile("roamcast", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("roamcast")
