"""The files in page/dist are those that page/build.mjs makes of page/src, and its types hold.

Skipped where Node or the packages of page/package-lock.json are missing.
"""

import filecmp
import pathlib
import shutil
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "page"


def main():
    node = shutil.which("node")
    if node is None or not (PAGE / "node_modules" / "esbuild").is_dir():
        print("skipped: there is no node, or no page/node_modules ('npm ci' in page/ makes it)")
        return
    subprocess.run([node, str(PAGE / "node_modules" / "typescript" / "bin" / "tsc"), "--noEmit", "-p", str(PAGE)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([node, str(PAGE / "build.mjs"), folder], check=True)
        made = sorted(path.name for path in pathlib.Path(folder).iterdir())
        kept = sorted(path.name for path in (PAGE / "dist").iterdir())
        if made != kept:
            sys.exit(f"error: page/dist has {kept}, and the build makes {made}")
        for name in made:
            if not filecmp.cmp(pathlib.Path(folder) / name, PAGE / "dist" / name, shallow=False):
                sys.exit(f"error: page/dist/{name} is not what page/src makes\nhint: npm run build --prefix page")
    package = (PAGE / "node_modules" / "preact" / "LICENSE").read_bytes()
    if package != (PAGE / "LICENSE.preact").read_bytes():
        sys.exit("error: page/LICENSE.preact is not the licence of the package")
    print(f"{len(kept)} files are what the sources make")


if __name__ == "__main__":
    main()
