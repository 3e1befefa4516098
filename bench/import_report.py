#!/usr/bin/env python3
"""Turns what lode-import-bench --json=FILE wrote into the tables and the chart of doc/measurements.md.

    bench/import_report.py DOC SVG RESULT.json...

What stands in DOC between the two comments `import report: begin` and `import report: end` is replaced; a result is
headed by its file's name. SVG is written anew. Standard library only.
"""

import html
import json
import os
import statistics
import sys

BEGIN, END = "<!-- import report: begin -->", "<!-- import report: end -->"


def spread(values, digits=2):
    low, middle, high = min(values), statistics.median(values), max(values)
    text = f"{middle:.{digits}f}"
    return text if len(values) == 1 else f"{text} ({low:.{digits}f} to {high:.{digits}f})"


def ratios(above, below):
    return [a / b for a, b in zip(above, below)]


def judged(values, least, most):
    """What was wanted of the median, in bold where it is missed."""
    middle = statistics.median(values)
    if least:
        return f"{least:g}" if middle >= least else f"**{least:g}, missed**"
    if most:
        return f"at most {most:g}" if middle <= most else f"**at most {most:g}, missed**"
    return ""


def lines_of_row(row):
    if row.get("refused"):
        yield f"| {row['name']} | refused: {row['refused']} | | | | | | |"
        return
    lode, others = row["sides"][0], row["sides"][1:]
    limit = lode["dbcache"] + 200
    peak = max(lode["peak_mib"])
    peak_text = f"{peak:.0f} of {limit}" if peak <= limit else f"**{peak:.0f} of {limit}**"
    for other in others or [None]:
        cells = [row["name"], spread(lode["wall_seconds"]), spread(lode["cpu_seconds"])]
        if other is None:
            cells += ["", "", "", "", peak_text]
        else:
            floor = other["name"] == "floor"
            pair = (lode, other) if floor else (other, lode)
            wall = ratios(pair[0]["wall_seconds"], pair[1]["wall_seconds"])
            wanted = judged(wall, other.get("times_lode_at_least"),
                            other.get("lode_times_it_at_most") or other.get("times_lode_at_most"))
            name = f"{pair[0]['name']} / {pair[1]['name']}"
            cells += [f"{other['name']} {spread(other['wall_seconds'])}", name, spread(wall), wanted, peak_text]
        yield "| " + " | ".join(cells) + " |"


def table(name, result):
    for chain in result["chains"]:
        yield f"### {name}"
        yield ""
        yield (f"{chain['megabytes']:.0f} MB, {chain['inputs']:,.0f} inputs, height {chain['height']}; {result['lode']}, "
               f"{result['core']}, {result['processors']} processors, {result['rounds']} rounds: median (least to most).")
        yield ""
        yield "| row | Lode s | Lode CPU s | beside s | ratio | | wanted | peak MiB |"
        yield "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |"
        for row in chain["rows"]:
            yield from lines_of_row(row)
        yield ""


def bars(results):
    """(label, name, seconds) of the rows that have Core or the floor beside Lode."""
    for name, result in results:
        for chain in result["chains"]:
            for row in chain["rows"]:
                sides = row.get("sides", [])
                if any(s["name"] in ("core", "floor") for s in sides):
                    for i, s in enumerate(sides):
                        yield (f"{name}: {row['name']}" if i == 0 else "", s["name"], statistics.median(s["wall_seconds"]))


def chart(results):
    colours = {"core": "#9aa5b1", "floor": "#d9b44a"}
    rows = list(bars(results))
    longest = max((s for _, _, s in rows), default=1)
    height, gap, top, left, width = 16, 8, 30, 200, 470
    groups = sum(1 for label, _, _ in rows if label)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{top + height * len(rows) + gap * groups + 10}" '
           'font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="#ffffff"/>',
           '<text x="10" y="18" font-size="13">Seconds of an import, median: Lode, Bitcoin Core, bare signature checks</text>']
    y = top - height
    for label, name, seconds in rows:
        y += height + (gap if label else 0)
        length = max(1, seconds / longest * width)
        colour = colours.get(name, "#2f6f4f")
        out.append(f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{html.escape(label)}</text>')
        out.append(f'<rect x="{left}" y="{y + 2}" width="{length:.1f}" height="{height - 4}" fill="{colour}"/>')
        out.append(f'<text x="{left + length + 5:.1f}" y="{y + 11}">{html.escape(name)} {seconds:.2f}</text>')
    return "\n".join(out + ["</svg>", ""])


def main(doc, svg, *paths):
    results = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            results.append((os.path.splitext(os.path.basename(path))[0], json.load(f)))
    with open(doc, encoding="utf-8") as f:
        before, rest = f.read().split(BEGIN)
    after = rest.split(END)[1]
    lines = [BEGIN, "", f"![Seconds of an import]({os.path.basename(svg)})", ""]
    for name, result in results:
        lines += table(name, result)
    with open(doc, "w", encoding="utf-8") as f:
        f.write(before + "\n".join(lines) + END + after)
    with open(svg, "w", encoding="utf-8") as f:
        f.write(chart(results))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
