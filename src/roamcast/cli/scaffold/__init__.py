"""The package that ``roamcast new protocol`` writes, made from the files in ``templates``."""
