# Prints where this Python finds modules outside the project, and which. The
# project's folder is the argument.
import sys
sys.path = [folder for folder in sys.path if folder]
import json, os, pkgutil, site
root = os.path.realpath(sys.argv[1])
paths = list(sys.path)
try:
    paths.append(site.getusersitepackages())
except Exception:
    pass


def is_outside(folder):
    folder = os.path.realpath(folder)
    return folder != root and not folder.startswith(root + os.sep)


paths = [os.path.abspath(folder) for folder in paths if is_outside(folder)]
names = {module.name for module in pkgutil.iter_modules(paths)}
folders = list(dict.fromkeys(paths + [os.path.realpath(folder) for folder in paths]))
print(json.dumps({"folders": folders, "modules": sorted(names)}))
