import subprocess
import sys
from pathlib import Path

import roamcast
from roamcast.spark.session.shipping import zip_package


def test_the_shipped_package_knows_its_version_and_its_components(tmp_path: Path) -> None:
    shipped = zip_package(tmp_path)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import roamcast\n"
        "from roamcast.core.components import component_modules\n"
        "print(roamcast.__file__, roamcast.__version__, *component_modules('roamcast.protocols'))"
    )
    # Isolated and without site-packages: only the zip can be what is imported.
    command = [sys.executable, "-I", "-S", "-c", program, str(shipped)]
    place, version, *protocols = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert Path(place) == shipped / "roamcast" / "__init__.py"
    assert version == roamcast.__version__
    assert "flooding" in protocols
