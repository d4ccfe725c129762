"""Makes lines of a tree: what a source's parent links say about branches."""


class Node:
    """One or more records that stay together, with the node before them."""

    def __init__(self, is_typed=False, is_answer=False):
        self.parent = None  # None: the beginning
        self.is_typed = is_typed  # a person wrote it
        self.is_answer = is_answer  # a model wrote it
        self.begins = None  # what it begins where it has no parent; each such thing is a tree


def lines_of_nodes(nodes):
    """Returns the lines of nodes, each a list from the beginning to a leaf, in order of their leaves.

    A branch is where two messages that a person wrote, or two answers, have the same parent. Any other
    second child goes to the end of its parent's line. Nodes are in file order, parents before children.
    """
    found = []
    line_of = {}
    children = {}
    for node in nodes:
        parent = node.parent
        key = id(parent) if parent else ("root", node.begins)
        line = line_of.get(key)
        siblings = children.setdefault(key, [])
        forks = any((node.is_typed and other.is_typed) or (node.is_answer and other.is_answer)
                    for other in siblings)
        siblings.append(node)
        if line is None or forks:
            line = (line[: line.index(parent) + 1] if parent else []) + [node]
            found.append(line)
        else:
            line.append(node)
        line_of[id(node)] = line
        if not parent:
            line_of.setdefault(key, line)
    return found
