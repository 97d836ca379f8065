"""Compiles the core and its Python face into the package: nothing else has to be installed."""

import pathlib
import re

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from setuptools import setup

FOLDERS = (
    "src/common",
    "src/memory",
    "src/scheduler",
    "src/worker",
    "bindings/python/native",
)



def headers_of(folder):
    return pathlib.Path(folder).rglob("*.h")


cmake = pathlib.Path("CMakeLists.txt").read_text()
core = Pybind11Extension(
    "fairlane._core",
    sorted(str(path) for folder in FOLDERS for path in pathlib.Path(folder).glob("*.cc")),
    depends=sorted(str(path) for folder in ("include", *FOLDERS) for path in headers_of(folder)),
    include_dirs=["include", "src", "bindings/python/native"],
    cxx_std=20,
    extra_compile_args=["-O2", "-g0", "-fvisibility=hidden"],
)

ParallelCompile("JOBS", default=2).install()
setup(
    version=re.search(r"project\(Fairlane VERSION (\S+)", cmake).group(1),
    ext_modules=[core],
)
