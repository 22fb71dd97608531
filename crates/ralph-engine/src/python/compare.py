# Compares compiled files with what their sources compile to. Prints `!` and
# the number of those that differ, `?` and the number of those it cannot tell.
import sys
root = sys.argv[1]
sys.path = [folder for folder in sys.path if folder and not folder.startswith(root)]
import ast, importlib.util, marshal, os, warnings
warnings.simplefilter("ignore")


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def is_loaded(data, source, text):
    """Whether this Python would load the file instead of the source."""
    if data[:4] != importlib.util.MAGIC_NUMBER or len(data) < 16:
        return False
    flags = int.from_bytes(data[4:8], "little")
    if flags == 0:
        found = os.stat(source)
        kept = [int.from_bytes(data[at:at + 4], "little") for at in (8, 12)]
        return kept == [int(found.st_mtime) & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF]
    return flags == 1 or data[8:16] == importlib.util.source_hash(text)


def rewritten(text, source, has_hook):
    from _pytest.assertion.rewrite import rewrite_asserts

    class Config:
        def getini(self, name):
            return has_hook

    tree = ast.parse(text, filename=source)
    rewrite_asserts(tree, text, source, Config())
    return compile(tree, source, "exec", dont_inherit=True)


def look(path):
    folder, name = os.path.split(path)
    if os.path.basename(folder) != "__pycache__":
        # Loaded where no source is.
        return "!" if not os.path.exists(path[:-1]) else ""
    source = os.path.join(os.path.dirname(folder), name.split(".")[0] + ".py")
    if not os.path.exists(source):
        return ""
    data, text = contents(path), contents(source)
    if not is_loaded(data, source, text):
        return ""
    found = marshal.loads(data[16:])
    if "-pytest-" not in name:
        level = next((part[4:] for part in name.split(".") if part.startswith("opt-")), "0")
        if not level.isdigit():
            # Written by a tool that changes what it compiles.
            return "?"
        level = int(level)
        return "" if found == compile(text, source, "exec", dont_inherit=True, optimize=level) else "!"
    try:
        from _pytest.assertion.rewrite import PYC_TAIL
    except ImportError:
        return "?"
    if not name.endswith(PYC_TAIL):
        return ""
    wanted = (rewritten(text, source, has_hook) for has_hook in (False, True))
    return "" if any(found == one for one in wanted) else "!"


for number, path in enumerate(sys.argv[2:]):
    try:
        sign = look(path)
    except FileNotFoundError:
        sign = ""
    except Exception:
        sign = "!"
    if sign:
        print(sign + str(number))
