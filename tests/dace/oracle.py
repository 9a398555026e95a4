"""What DaCe says about SDFG files: whether it loads and validates them, and their arguments."""

import hashlib
import importlib.metadata
import json
import multiprocessing
import os
import pathlib
import tempfile


def dace_version():
    return importlib.metadata.version("dace")


def ask(path):
    """A dictionary: 'load' or 'validate' hold the error, if any; 'arguments' and 'init' the rest."""
    os.environ["DACE_testing_deserialize_exception"] = "1"
    import warnings

    warnings.simplefilter("ignore")
    answer = {}
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)  # DaCe writes what it refuses into the working directory
        try:
            import dace

            try:
                import gt4py.next.program_processors.runners.dace.library_nodes  # registers its nodes
            except ImportError:
                pass
            try:
                sdfg = dace.SDFG.from_file(path)
            except Exception as error:  # DaCe raises whatever it likes
                answer["load"] = words(error)
                return answer
            try:
                sdfg.validate()
            except Exception as error:
                answer["validate"] = words(error)
                return answer
            try:
                answer["arguments"], answer["init"] = arguments(dace, sdfg)
                sdfg.init_signature()
                # A call takes what the expanded program needs: BLAS nodes may need sizes that
                # nothing mentions before.
                if any(".blas." in type(n).__module__ or ".linalg." in type(n).__module__
                       for n in library_nodes(dace, sdfg)):
                    try:
                        sdfg.expand_library_nodes()
                        answer["called"], answer["called_init"] = arguments(dace, sdfg)
                    except Exception:
                        pass  # DaCe cannot expand it, so there is only the first answer
            except Exception as error:
                answer["arguments"] = words(error)
        finally:
            os.chdir("/")
    return answer


def library_nodes(dace, sdfg):
    return [node for node, _ in sdfg.all_nodes_recursive() if isinstance(node, dace.sdfg.nodes.LibraryNode)]


def arguments(dace, sdfg):
    return ([[name, type_name(data), not isinstance(data, dace.data.Scalar)
              or data.storage == dace.StorageType.GPU_Global]
             for name, data in sdfg.arglist().items()],
            sorted(name for name in sdfg.used_symbols(all_symbols=False) if not name.startswith("__dace")))


def words(error):
    try:
        text = str(error)
    except Exception:  # DaCe looks for the place of some of its errors in the wrong graph
        text = getattr(error, "message", "")
    return f"{type(error).__name__}: {text}"[:500]


def type_name(data):
    """In the spelling of our Type::text()."""
    import dace

    dtype = data.dtype
    if isinstance(data, dace.data.Structure) and isinstance(dtype, dace.pointer):
        dtype = dtype.base_type
    return dtype_name(dtype)


def dtype_name(dtype):
    import dace

    if isinstance(dtype, dace.pointer):
        return f"pointer({dtype_name(dtype.base_type)})"
    if isinstance(dtype, dace.vector):
        return f"vector({dtype_name(dtype.base_type)}, {dtype.veclen})"
    if isinstance(dtype, dace.dtypes.callback):
        return "callback"
    if isinstance(dtype, dace.dtypes.struct):
        return f"struct({dtype.name})"
    name = dtype.to_string()
    return "bool" if name in ("bool_", "bool") else name


def ask_all(paths, jobs, cache=None):
    """Answers by path. `cache` names a file that keeps answers by content, as DaCe takes minutes."""
    known = {}
    if cache and pathlib.Path(cache).exists():
        known = json.loads(pathlib.Path(cache).read_text())
    version = dace_version()
    keys = {p: f"{version} {hashlib.sha256(pathlib.Path(p).read_bytes()).hexdigest()}" for p in paths}
    missing = [p for p in paths if keys[p] not in known]
    with multiprocessing.Pool(jobs, maxtasksperchild=60) as pool:
        for path, answer in zip(missing, pool.imap(ask, missing)):
            known[keys[path]] = answer
            if cache:
                pathlib.Path(cache).write_text(json.dumps(known))
    return {p: known[keys[p]] for p in paths}


def inspect_all(tool, paths):
    """What sdfg-inspect prints for each file, for the DaCe that judges."""
    import subprocess

    answers = {}
    for i in range(0, len(paths), 50):
        done = subprocess.run([tool, dace_version(), *paths[i:i + 50]], capture_output=True, text=True, timeout=600)
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            answers[answer["file"]] = answer
        if done.returncode:
            raise SystemExit(f"{tool} failed with status {done.returncode}:\n{done.stderr}")
    return answers


def corpus_files(folder, limit_bytes):
    files = [str(p) for p in sorted(pathlib.Path(folder).rglob("*.sdfg*"))]
    return [f for f in files if not limit_bytes or os.path.getsize(f) <= limit_bytes]
