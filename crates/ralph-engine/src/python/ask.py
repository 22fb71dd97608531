# Prints where this Python finds modules, and which.
import sys
sys.path = [folder for folder in sys.path if folder]
import json, pkgutil, site
paths = list(sys.path)
try:
    paths.append(site.getusersitepackages())
except Exception:
    pass
names = sorted({module.name for module in pkgutil.iter_modules(paths)})
print(json.dumps({"folders": paths, "modules": names}))
