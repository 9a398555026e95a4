"""Reads GraphML files with networkx and checks that it sees every node and edge with its kind,
its parent and its scope."""

import re
import sys

import networkx

for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    graph = networkx.read_graphml(path, force_multigraph=True)
    assert graph.is_directed(), path
    assert graph.number_of_nodes() == len(re.findall(r"<node ", text)), path
    assert graph.number_of_edges() == len(re.findall(r"<edge ", text)), path
    for node, data in graph.nodes(data=True):
        assert data["kind"], (path, node)
        for other in ("parent", "scope", "entry"):
            assert data.get(other, node) in graph, (path, node, other)
        if data["kind"] == "AccessNode":
            assert isinstance(data["transient"], bool), (path, node)
    inside = sum("scope" in data for _, data in graph.nodes(data=True))
    print(f"{path.rsplit('/', 1)[-1]}: {graph.number_of_nodes()} nodes, {inside} of them in scopes")
