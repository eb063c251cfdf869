"""Fetches the published chat templates that `templates.py` and the campaign of templates read.

    python fetch_templates.py FOLDER

They are `vendor/llama.cpp/models/templates` of the source package of `llama-cpp-python` (77 MB), which pip downloads.
Their files are put into FOLDER; they belong to their authors, and are never committed.
"""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "llama-cpp-python"
VERSION = "0.3.36"


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", PACKAGE,
                        f"{PACKAGE}=={VERSION}", "--dest", scratch], check=True)
        [package] = Path(scratch).glob("*.tar.gz")
        count = 0
        with tarfile.open(package) as files:
            for member in files:
                name = Path(member.name)
                if member.isfile() and name.suffix == ".jinja" and name.parent.as_posix().endswith("models/templates"):
                    (folder / name.name).write_bytes(files.extractfile(member).read())
                    count += 1
    print(count, "templates")


if __name__ == "__main__":
    main()
