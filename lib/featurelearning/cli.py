"""The command ``featurelearning``: list claims, check them alone, make one figure again."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tqdm import tqdm

from featurelearning import __version__, claims
from featurelearning.claims import PAPERS, PASSING, Claim, ParameterError
from featurelearning.provenance import find_root
from featurelearning.threads import one_thread_each

__all__ = ["main"]

OK, SOME_DO_NOT_HOLD, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 if all hold, 1 if some do not or a run failed, 2 on bad input."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except (ParameterError, FileNotFoundError) as error:
        print(f"featurelearning {options.command}: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("\ninterrupted; nothing was written", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="featurelearning", description="The claims of three papers, computed.")
    parser.add_argument("--version", action="version", version=f"featurelearning {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="list | check | figure")

    listing = commands.add_parser("list", help="every claim with its last verdict")
    listing.add_argument("--json", action="store_true", help="one JSON object per line")
    listing.set_defaults(run=_list)

    check = commands.add_parser("check", help="measure claims, without a notebook")
    check.add_argument("ids", nargs="*", metavar="ID", help="claims, e.g. C1 C5")
    check.add_argument("--paper", help=f"all claims of one paper: {', '.join(PAPERS)}")
    check.add_argument("--all", action="store_true", help="all claims")
    check.add_argument("--json", action="store_true", help="one JSON object per line")
    check.set_defaults(run=_check)

    figure = commands.add_parser("figure", help="execute a figure's notebook and keep the figure and its data")
    figure.add_argument("id", metavar="ID", help="the claim that the figure shows, e.g. C5")
    figure.add_argument("--output", type=Path, default=Path("figures"), metavar="DIR", help="default: figures")
    figure.set_defaults(run=_figure)

    for command in (check, figure):
        command.add_argument("--preset", default="full", help="full (default) or quick")
        command.add_argument("-p", action="append", default=[], metavar="name=value", dest="values",
                             help="set a parameter; lists as name=4,8,16; may be repeated")
    return parser


def _list(options: argparse.Namespace) -> int:
    for claim in claims.load():
        verdict = _last_verdict(claim)
        if options.json:
            print(json.dumps({"id": claim.id, "paper": claim.paper, "kind": claim.kind, "statement": claim.statement,
                              "notebook": claim.notebook, "verdict": verdict}, ensure_ascii=False))
        else:
            print(f"{claim.id:<5}{claim.paper:<11}{claim.kind:<8}{claim.notebook:<26}{verdict or 'not built yet'}\n"
                  f"     {claim.statement}")
    return OK


def _check(options: argparse.Namespace) -> int:
    selected = _selected(options)
    overrides = _values(options.values)
    for claim in selected:  # all input is checked before the first claim runs
        claim.resolve(options.preset, overrides)
    all_hold = True
    for record in _records(selected, options.preset, overrides):
        print(json.dumps(record, ensure_ascii=False) if options.json else _report(record), flush=True)
        all_hold &= record["verdict"] in PASSING
    return OK if all_hold else SOME_DO_NOT_HOLD


def _records(selected: list[Claim], preset: str, overrides: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Measure the claims, several on all cores side by side; records come in the order asked for."""
    if len(selected) == 1:
        print(f"{selected[0].id} ... measuring ({preset})", file=sys.stderr, flush=True)
        yield selected[0].run(preset, overrides).record()
        return
    with one_thread_each(), ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        pending = [pool.submit(_record, claim.id, preset, overrides) for claim in selected]
        try:
            for future in tqdm(pending, desc=f"measuring ({preset})", unit="claim", disable=not sys.stderr.isatty()):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _record(identifier: str, preset: str, overrides: dict[str, str]) -> dict[str, Any]:
    return claims.find(identifier).run(preset, overrides).record()


def _figure(options: argparse.Namespace) -> int:
    from featurelearning import notebooks  # papermill is slow to import, and only this needs it

    claim = claims.find(options.id)
    overrides = notebooks.overrides_for(claim, options.preset, _values(options.values))
    if options.output.exists() and not options.output.is_dir():
        raise ParameterError(f"--output {options.output} is a file; a folder is needed")
    root = find_root()
    (root / "_build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="figure-", dir=root / "_build") as folder:
        scratch = Path(folder)
        try:
            run = notebooks.execute(root, claim.notebook, scratch, preset=options.preset,
                                    overrides=overrides, progress=True)
        except notebooks.NotebookError as error:
            print(f"featurelearning figure: {error}", file=sys.stderr)
            kept = root / "_build" / f"failed-{claim.id}.ipynb"
            shutil.move(scratch / notebooks.FAILED, kept)
            print(f"  {kept}", file=sys.stderr)
            return SOME_DO_NOT_HOLD
        files = sorted(p for p in (scratch / "figures").glob(f"{claim.id}[-.]*") if p.is_file())
        if not files:
            raise ParameterError(f"claim {claim.id} has no figure of its own; its page is {claim.notebook}")
        options.output.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(file, options.output / file.name)
        shutil.copy(scratch / notebooks.EXECUTED, options.output / f"{claim.id}.ipynb")
        record = json.loads((scratch / "claims" / f"{claim.id}.json").read_text(encoding="utf-8"))
    print(_report(record))
    names = ", ".join([file.name for file in files] + [f"{claim.id}.ipynb"])
    print(f"written to {options.output}: {names} ({run.seconds:.0f} s)")
    return OK if record["verdict"] in PASSING else SOME_DO_NOT_HOLD


def _selected(options: argparse.Namespace) -> list[Claim]:
    if bool(options.ids) + bool(options.paper) + options.all != 1:
        raise ParameterError("name claims (check C1 C5), or a paper (check --paper gauge), or give --all")
    if options.ids:
        return [claims.find(identifier) for identifier in options.ids]
    return list(claims.load(options.paper))


def _values(pairs: Sequence[str]) -> dict[str, str]:
    values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise ParameterError(f"-p {pair} has no value; write -p name=value, e.g. -p phi=1.2")
        values[name.strip()] = value.strip()
    return values


def _last_verdict(claim: Claim) -> str | None:
    try:
        path = find_root() / "figures" / "claims" / f"{claim.id}.json"
        return json.loads(path.read_text(encoding="utf-8"))["verdict"]
    except FileNotFoundError:
        return None


def _report(record: dict[str, Any]) -> str:
    parameters = ", ".join(f"{name}={_text(value)}" for name, value in record["parameters"].items())
    lines = [f"{record['id']}  {record['statement']}", f"  parameters: {parameters or 'none'}"]
    for name, measured in record["measured"].items():
        expected, tolerance = record["expected"][name], record["tolerance"][name]
        wanted = f"{_text(expected)} within {tolerance:.2g}" if tolerance is not None else expected
        lines.append(f"  {'ok ' if record['holds'][name] else 'NOT'} {name} = {_text(measured)}, expected {wanted}"
                     f"  ({record['reason'][name]})")
    lines.append(f"  verdict: {record['verdict']}  [{record['seconds']:.2f} s, {record['preset']}]")
    return "\n".join(lines)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(_text(item) for item in value)
    return f"{value:.8g}" if isinstance(value, float) else str(value)
