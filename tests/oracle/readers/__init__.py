"""The readers, one module a format. A new module is found by its file name."""

import importlib
import pkgutil


def all_readers():
    """Returns the reader modules, by name of the format."""
    found = [importlib.import_module(f"{__name__}.{module.name}")
             for module in pkgutil.iter_modules(__path__)]
    return {reader.FORMAT: reader for reader in found if hasattr(reader, "FORMAT")}
